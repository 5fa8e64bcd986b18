//! Integer promotions, usual arithmetic conversions, narrowing, and enumerations.

use super::{Case, INTEGERS, id_of};
use crate::grammar::Choices;

/// Character types beyond `char`.
const RARE: [&str; 2] = ["wchar_t", "char16_t"];
const VALUES: [&str; 11] = ["0", "1", "-1", "5", "100", "-100", "127", "-128", "77", "-7", "31"];

/// A type; rarely one of the character types beyond `char`.
fn kind(c: &mut Choices<'_>) -> &'static str {
    if c.chance(3) { c.pick(&RARE) } else { c.pick(&INTEGERS) }
}

fn variables(c: &mut Choices<'_>, case: &mut Case) -> Vec<&'static str> {
    (0..4)
        .map(|n| {
            let ty = kind(c);
            case.state(format!("{ty} v{n} = ({ty})({});", c.pick::<&str>(&VALUES)));
            ty
        })
        .collect()
}

pub(super) fn arithmetic(c: &mut Choices<'_>, case: &mut Case) {
    case.declare_id();
    let kinds = variables(c, case);
    for _ in 0..7 {
        let (x, y) = (c.below(4), c.below(4));
        // Two large unsigned short factors would overflow an int.
        let half = |n: usize| matches!(kinds[n], "unsigned short" | "char16_t");
        let mut op: &str = c.pick(&[
            "+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "/", "%",
            ",",
        ]);
        if op == "*" && half(x) && half(y) {
            op = "+";
        }
        let value = match op {
            "<<" => format!("((unsigned)v{x} << (v{y} & 7))"),
            ">>" => format!("(v{x} >> (v{y} & 7))"),
            "/" | "%" => format!("(v{x} {op} (v{y} ? v{y} : 3))"),
            _ => format!("(v{x} {op} v{y})"),
        };
        case.put(&value);
        case.put(id_of(&format!("decltype({value})")));
        let one = c
            .pick(&[
                "~@",
                "-@",
                "+@",
                "!@",
                "(true ? @ : 1u)",
                "(@ ? @ : 'a')",
                "(@, 1L)",
                "(false ? 1LL : @)",
                "(true ? @ : (short)2)",
            ])
            .replace('@', &format!("v{x}"));
        case.put(format!("{one} * 100LL + {}", id_of(&format!("decltype({one})"))));
    }
}

pub(super) fn narrowing(c: &mut Choices<'_>, case: &mut Case) {
    let kinds = variables(c, case);
    for _ in 0..5 {
        let x = c.below(4);
        let to = kind(c);
        let value: &str = c.pick(&[
            "300",
            "-129",
            "65536 + 7",
            "0x123456789aLL",
            "-1",
            "2.9",
            "-2.9f",
            "1e9",
            "4000000000u",
            "'\\xff'",
            "255",
            "0.5",
            "true",
        ]);
        let value = if value.contains('.') && to != "bool" && (value.starts_with('-') || to.contains("char"))
        {
            "3.7"
        } else {
            value
        };
        let value = if value == "1e9" && !matches!(to, "int" | "long long" | "bool") { "7.0" } else { value };
        case.put(format!("({to})({value})"));
        if kinds[x] != "bool" {
            let change = c.pick(&[
                "@ += 3;",
                "@++;",
                "--@;",
                "@ >>= 1;",
                "@ ^= 0x1ff;",
                "@ |= 300;",
                "@ /= 2;",
                "@ %= 7;",
                "@ = 3.99f;",
                "@ &= ~4;",
                "@ *= 1;",
                "@ -= 200u;",
            ]);
            case.state(change.replace('@', &format!("v{x}")));
        }
        case.put(format!("v{x}"));
        case.put(format!("({}) v{x}", kind(c)));
        case.put(c.pick(&[
            "(v0 < v1) + 2 * (v1 > v2) + 4 * (v2 <= v3)",
            "v0 == v1 ? 5 : v2",
            "(float)v0 * 2 + (double)v1",
            "!v0 + !!v1",
            "(unsigned char)v0 - (signed char)v1",
            "(v0 ? v1 : v2) > -1",
        ]));
    }
}

pub(super) fn enumerations(c: &mut Choices<'_>, case: &mut Case) {
    case.declare_id();
    let base: &str = c.pick(&[
        "",
        "",
        "",
        " : char",
        " : unsigned char",
        " : short",
        " : unsigned",
        " : long long",
        " : bool",
        " : unsigned long long",
    ]);
    let scoped: &str = c.pick(&["enum", "enum", "enum class", "enum struct"]);
    let small = base.contains("bool");
    let mut list = String::new();
    for n in 0..4 {
        let value: &str = c.pick(&[
            "",
            "",
            " = 5",
            " = 1",
            " = e0 + 1",
            " = 'a'",
            " = 1 << 3",
            " = -3",
            " = 3000000000u",
            " = 0x100000000",
            " = sizeof(int)",
        ]);
        let fits = match value.trim_start_matches(" = ") {
            "-3" => !base.contains("unsigned"),
            "3000000000u" => {
                matches!(base, "" | " : long long" | " : unsigned" | " : unsigned long long")
                    && !(base.is_empty() && scoped != "enum")
            }
            "0x100000000" => base.contains("long") || (base.is_empty() && scoped == "enum"),
            "e0 + 1" => n > 0,
            _ => true,
        };
        list += &format!(
            "e{n}{}, ",
            if !fits && !small {
                ""
            } else if small {
                [" = 0", " = 1"][n % 2]
            } else {
                value
            }
        );
    }
    case.declare(format!("{scoped} E{base} {{ {list}}};"));
    let at = if scoped == "enum" { "" } else { "E::" };
    for n in 0..4 {
        case.put(format!("{at}e{n}"));
    }
    case.put("sizeof(E) * 10 + alignof(E)");
    if c.chance(20) {
        case.put(id_of("__underlying_type(E)"));
    }
    case.state(format!("E e = {at}e1; (void)e;"));
    case.put(format!("(e == {at}e1) + 2 * (e < {at}e2) + 4 * (e > {at}e0)"));
    if at.is_empty() {
        case.put(id_of("decltype(+e)"));
        case.put(id_of("decltype(e + 1)"));
        case.put(id_of("decltype(e | e1)"));
        case.put("e * 2 - 1");
        case.put("-e < 0");
        case.put("id<decltype(true ? e : 1)> * 100 + id<decltype(true ? e : e0)>");
    }
    case.put("(E)1 == static_cast<E>(true)");
    case.state("switch (e) {");
    case.state(format!("case {at}e1: o[{}] = 7; break; default: o[{}] = 8; }}", case.count, case.count));
    case.count += 1;
}
