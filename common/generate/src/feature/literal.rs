//! Literals of every form: their values and types.

use super::{Case, id_of};
use crate::grammar::Choices;

const CHARACTERS: [&str; 27] = [
    "a", "Z", "0", " ", "~", "\\n", "\\t", "\\0", "\\12", "\\377", "\\x41", "\\xff", "\\x7f", "\\\\", "\\'",
    "\\\"", "\\a", "\\b", "\\f", "\\v", "\\r", "\\?", "\\1", "\\x0", "?", "%", "\\200",
];
/// Characters that are no single byte. Not `é` itself, which nvcc reads as UTF-8 and NVRTC as two bytes, nor in pieces without a
/// prefix of their own, of which NVRTC keeps a byte for each.
const WIDE: [&str; 2] = ["\\u00e9", "\\u20ac"];

pub(super) fn characters(c: &mut Choices<'_>, case: &mut Case) {
    case.declare_id();
    for _ in 0..6 {
        let prefix: &str = if c.chance(10) { c.pick(&["u", "U", "L"]) } else { c.pick(&["", "", "u8"]) };
        let wide = c.chance(35) && !matches!(prefix, "" | "u8");
        let count = if prefix.is_empty() { 1 + c.below(4) } else { 1 };
        let text: String =
            (0..count).map(|_| if wide { c.pick(&WIDE) } else { c.pick(&CHARACTERS) }).collect();
        let literal = format!("{prefix}'{text}'");
        case.put(&literal);
        case.put(id_of(&format!("decltype({literal})")));
        case.put(format!("sizeof({literal}) + ({literal} < 0)"));
    }
}

pub(super) fn strings(c: &mut Choices<'_>, case: &mut Case) {
    for n in 0..3 {
        let prefix: &str = if c.chance(15) { c.pick(&["u", "U", "L"]) } else { c.pick(&["", "", "u8"]) };
        let mut literal = String::new();
        for piece in 0..1 + c.below(3) {
            // One piece with a prefix gives it to all.
            let own = if piece == 0 || c.chance(40) { prefix } else { "" };
            if c.chance(25) {
                literal += &format!(
                    "{own}{} ",
                    c.pick::<&str>(&[
                        "R\"(a\\n\"b)\"",
                        "R\"x()\")x\"",
                        "R\"(two\nlines)\"",
                        "R\"(//)\"",
                        "R\"()\"",
                        "R\"-(a\\\nb)-\""
                    ])
                );
                continue;
            }
            let text: String = (0..c.below(5))
                .map(|_| {
                    if c.chance(25) && !matches!(own, "" | "u8") {
                        c.pick(&WIDE)
                    } else {
                        c.pick(&CHARACTERS)
                    }
                })
                .collect();
            literal += &format!("{own}\"{text}\" ");
        }
        let unit = match prefix {
            "u" => "char16_t",
            "U" => "char32_t",
            "L" => "wchar_t",
            _ => "char",
        };
        case.put(format!("sizeof({literal})"));
        case.declare(format!("__device__ constexpr {unit} t{n}[] = {literal};"));
        case.put(format!("sizeof(t{n}) * 100 + sizeof({literal}[0])"));
        case.state(format!("{{ long long sum = 0; for (auto x : t{n}) sum = (sum * 257 + x) % 1000000007;"));
        case.put("sum");
        case.state("}");
        case.put(format!("({literal})[sizeof({literal}) / sizeof(t{n}[0]) / 2]"));
    }
}

pub(super) fn numbers(c: &mut Choices<'_>, case: &mut Case) {
    case.declare_id();
    for _ in 0..6 {
        if c.chance(30) {
            let literal: &str = c.pick(&[
                "1.5",
                ".5f",
                "1.",
                "1e3",
                "1E-2f",
                "0x1.8p3",
                "0x1p-2f",
                "1'000.5",
                "2.5e+1",
                "0x.8p1F",
                "1e10",
                "3.0F",
                "1'2e1'0",
                "0x1'0.8p0",
                "1.e2f",
                "0.1f",
                "0.1",
                // Not 16777217.0f, halfway between two floats: nvcc takes the upper one, this front-end the even one.
                "16777218.0f",
                "1e-45f",
                "4.9e-324",
                "3.402823466e38f",
                "0x1.000001p0f",
                "0.30000000000000004",
                "1e22",
                "123456789.123456789",
            ]);
            case.put(format!("__double_as_longlong((double)({literal}))"));
            case.put(id_of(&format!("decltype({literal})")));
            continue;
        }
        let digits: &str = c.pick(&[
            "0",
            "1",
            "017",
            "0x1F",
            "0b101",
            "0B11",
            "2147483647",
            "2147483648",
            "4294967295",
            "4294967296",
            "0x7fffffff",
            "0x80000000",
            "0xffffffff",
            "0x100000000",
            "0xFFFF'FFFF'F",
            "1'000'000",
            "0'17",
            "0b1111'0000",
            "037777777777",
            "020000000000",
            "0xffffffffffffffff",
            "0x7fffffffffffffff",
            "9223372036854775807",
            "0x8000000000000000",
            "01777777777777777777777",
            "00",
            "0XaBc",
            "0b10000000000000000000000000000000",
        ]);
        let suffix: &str = c.pick(&[
            "", "", "", "u", "U", "l", "L", "ul", "LU", "lu", "ll", "LL", "ull", "llu", "ULL", "uLL", "Ul",
        ]);
        let literal = format!("{digits}{suffix}");
        case.put(&literal);
        case.put(id_of(&format!("decltype({literal})")));
        case.put(format!("-{literal} < 0"));
    }
}
