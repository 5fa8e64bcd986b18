//! Where the members of classes are.

use super::{Case, id_of};
use crate::grammar::Choices;
use std::fmt::Write as _;

const FIELDS: [&str; 34] = [
    "char @",
    "short @",
    "int @",
    "long long @",
    "float @",
    "double @",
    "bool @",
    "char @[3]",
    "short @[5]",
    "int @[2]",
    "char *@",
    "float4 @",
    "float2 @",
    "float3 @",
    "int3 @",
    "double2 @",
    "uchar4 @",
    "E @",
    "F @",
    "Pair @",
    "Pair @[3]",
    "Empty @",
    "Empty @[2]",
    "alignas(8) char @",
    "alignas(16) int @",
    "alignas(32) char @",
    "alignas(double) char @",
    "union { char @; int @u; }",
    "union { double @; char @u[9]; }",
    "struct { char @; short @s; }",
    "int (*@)(int)",
    "Over @",
    "wchar_t @",
    "char16_t @",
];

const BIT_FIELDS: [&str; 14] = [
    "int @ : 3",
    "unsigned @ : 5",
    "unsigned @ : 32",
    "char @ : 4",
    "unsigned char @ : 7",
    "short @ : 9",
    "bool @ : 1",
    "long long @ : 40",
    "unsigned long long @ : 33",
    "int : 0",
    "char : 0",
    "int : 5",
    "E @ : 6",
    "unsigned @ : 1",
];

const SETTING: &str = "enum E : char { e0 = 1 }; enum F { f0 }; struct Pair { char a; short b; }; struct Empty {}; struct alignas(16) Over { char c; };\n\
    struct Tail { int a; char b; }; struct Empty2 : Empty {}; template <class T> struct alignas(T) Like { char c[3]; };";

fn class(c: &mut Choices<'_>, case: &mut Case, head: &str, packs: bool) -> Vec<String> {
    let mut members = String::new();
    let mut plain = Vec::new();
    for n in 0..2 + c.below(5) {
        let name = format!("m{n}");
        let bits = c.chance(25);
        let field: &str = if bits { c.pick(&BIT_FIELDS) } else { c.pick(&FIELDS) };
        let field = if packs && c.chance(20) {
            format!("{} __attribute__((packed))", field)
        } else {
            field.to_owned()
        };
        if bits && packs && field.contains("((") {
            continue;
        }
        if (field.contains("union") || field.contains("struct")) && field.contains("((") {
            continue;
        }
        write!(members, "{}; ", field.replace('@', &name)).expect("a string takes all");
        if !bits && !field.contains("int (*") {
            plain.push(name);
        }
    }
    case.declare(format!("{head} {{ {members}}};"));
    plain
}

fn measure(case: &mut Case, members: &[String]) {
    case.put("sizeof(S)");
    case.put("alignof(S)");
    case.put("sizeof(S[3])");
    case.state("__shared__ S s;");
    for m in members {
        case.put(format!("(char *)&s.{m} - (char *)&s"));
    }
}

pub(super) fn layout(c: &mut Choices<'_>, case: &mut Case) {
    case.declare(SETTING);
    let head = c.pick(&[
        "struct S",
        "struct S",
        "struct S",
        "struct alignas(16) S",
        "struct __align__(8) S",
        "struct S : Empty",
        "struct S : Pair",
        "struct S : Empty, Pair",
        "struct S : Tail",
        "struct S : Over",
        "class alignas(double) alignas(4) S : public Tail",
        "union S",
        "struct S : Empty2, Empty",
        "struct S : Like<int>",
        "struct __attribute__((aligned(32))) S",
        "struct alignas(1) S",
    ]);
    let public = head.starts_with("class");
    let head = if public { head.replacen("class", "struct", 1) } else { head.to_owned() };
    let members = class(c, case, &head, false);
    measure(case, &members);
    case.declare(
        "struct After : S0 { char last; };"
            .replace("S0", if head.starts_with("union") { "Tail" } else { "S" }),
    );
    case.put("sizeof(After)");
    case.put("sizeof(Like<double>) * 100 + alignof(Like<short>)");
}

/// What must be refused, or laid out as the attribute says.
pub(super) fn packed(c: &mut Choices<'_>, case: &mut Case) {
    case.declare(SETTING);
    let form = c.below(8);
    let members = match form {
        0 => class(c, case, "struct __attribute__((packed)) S", false),
        1 => {
            case.declare(c.pick(&[
                "#pragma pack(push, 1)",
                "#pragma pack(push, 2)",
                "#pragma pack(1)",
                "#pragma pack(4)",
                "#pragma pack(push)\n#pragma pack(2)",
                "_Pragma(\"pack(push, 1)\")",
            ]));
            let members = class(c, case, "struct S", false);
            case.declare("#pragma pack()");
            members
        }
        2 => class(c, case, "struct S", true),
        3 => {
            case.declare("typedef struct { char a; int b; double m0; } __attribute__((packed)) S;");
            vec!["m0".to_owned()]
        }
        4 => {
            case.declare("typedef int odd __attribute__((aligned(2))); struct S { char a; odd m0; };");
            vec!["m0".to_owned()]
        }
        5 => {
            case.declare("typedef int wide __attribute__((aligned(16))); struct S { char a; wide m0; };");
            vec!["m0".to_owned()]
        }
        6 => class(c, case, "struct [[gnu::packed]] S", false),
        _ => {
            case.declare("#define PACKED __attribute__((__packed__))\nstruct PACKED S { char a; int m0 __attribute__((aligned(8))); };");
            vec!["m0".to_owned()]
        }
    };
    measure(case, &members);
}

pub(super) fn bit_fields(c: &mut Choices<'_>, case: &mut Case) {
    case.declare_id();
    let kinds = [
        "int",
        "unsigned",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "long long",
        "unsigned long long",
        "char",
        "bool",
        "E",
        "G",
    ];
    case.declare("enum E : int { e0, e1, e2, e3 = -1 }; enum G : unsigned char { g0, g1, g2, g3 };");
    let mut members = String::new();
    let mut list = Vec::new();
    for n in 0..2 + c.below(4) {
        let ty: &str = c.pick(&kinds);
        let most = match ty {
            "bool" => 1,
            "char" | "signed char" | "unsigned char" | "G" => 8,
            "short" | "unsigned short" => 16,
            "long long" | "unsigned long long" => 64,
            _ => 32,
        };
        let width = 1 + c.below(most);
        write!(members, "{ty} m{n} : {width}; ").expect("a string takes all");
        list.push((ty, width, format!("s.m{n}")));
        if c.chance(20) {
            members += c.pick(&["int : 0; ", "int : 3; ", "char between; "]);
        }
    }
    case.declare(format!("struct S {{ {members}}};"));
    case.state("S s{};");
    for (ty, _, m) in &list {
        let value: &str = c.pick(&["-1", "1", "0", "5", "100", "255", "-128", "65535", "123456789", "-77"]);
        case.state(format!("{m} = ({ty})({value});"));
    }
    for (ty, width, m) in &list {
        case.put(m);
        // The type of a wide bit-field's promotion is not the same in all compilers.
        if *width <= 32 || *width == 64 {
            case.put(id_of(&format!("decltype(+{m})")));
        }
        if !matches!(*ty, "E" | "G" | "bool") && *width < 30 {
            let step =
                c.pick(&["@++;", "--@;", "@ += 3;", "@ <<= 1;", "@ ^= 5;", "@ = ~@;", "@ -= 9;", "@ |= 2;"]);
            case.state(step.replace('@', m));
            case.put(m);
            case.put(format!("{m} - 10 < 0"));
            case.put(format!("({m} = 77)"));
        }
    }
    case.put("sizeof(S)");
    case.state("unsigned char *raw = reinterpret_cast<unsigned char *>(&s);");
    case.put("raw[0]");
}
