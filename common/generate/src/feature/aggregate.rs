//! Aggregates, brace elision and structured bindings.

use super::Case;
use crate::grammar::Choices;

/// Types with the paths of their integers.
const SHAPES: [(&str, &[&str]); 9] = [
    ("int x[4]", &["x[0]", "x[1]", "x[2]", "x[3]"]),
    ("int x[2][2]", &["x[0][0]", "x[0][1]", "x[1][0]", "x[1][1]"]),
    ("P x", &["x.a", "x.b"]),
    ("P x[2]", &["x[0].a", "x[0].b", "x[1].a", "x[1].b"]),
    ("Q x", &["x.p.a", "x.p.b", "x.v[0]", "x.v[1]", "x.c"]),
    (
        "Q x[2]",
        &["x[0].p.a", "x[0].p.b", "x[0].v[0]", "x[0].v[1]", "x[0].c", "x[1].p.a", "x[1].p.b", "x[1].v[0]"],
    ),
    ("R x", &["x.a", "x.b", "x.d"]),
    ("M x", &["x.q", "x.w", "x.e.a"]),
    ("O x", &["x.z", "x.ps[0].a", "x.ps[1].b", "x.u.i", "x.t"]),
];

pub(super) fn aggregates(c: &mut Choices<'_>, case: &mut Case) {
    case.declare("struct P { int a; short b; }; struct Q { P p; int v[2]; char c; }; struct R : P { int d; }; struct M { int q = 5; int w; P e{7, 8}; }; union U { int i; char c; }; struct O { char z; P ps[2]; U u; int t; };");
    for n in 0..3 {
        let (declared, leaves) = c.pick(&SHAPES);
        let mut list = String::new();
        for _ in 0..c.below(leaves.len() + 1) {
            let v = c.below(90);
            list += &match c.below(12) {
                0 => format!("{{{v}}}, "),
                1 => format!("{{{v}, {}}}, ", v + 1),
                2 => "{}, ".to_owned(),
                _ => format!("{v}, "),
            };
        }
        let name = format!("x{n}");
        let declared = declared.replace('x', &name);
        case.state(format!(
            "P p{n}{{{}, 2}}; (void)p{n}; {declared}{}{{{}}};",
            c.below(50),
            c.pick::<&str>(&["", " = "]),
            list.replace("p,", &format!("p{n},"))
        ));
        for leaf in leaves.iter().take(5) {
            case.put(leaf.replacen('x', &name, 1));
        }
    }
    case.state("char s[6] = \"ab\"; char t[] = {\"xyz\"}; int u[] = {1, 2, [] { return 3; }()}; P arr[3] = {1, 2, {3}, 4};");
    let last = [
        "s[2] + s[5] + sizeof(t)",
        "sizeof(u) * 100 + u[2]",
        "arr[0].b * 100 + arr[1].a * 10 + arr[2].a",
        "P{}.a + P().b",
        "Q{1, 2, 3}.v[0]",
        "M{.w = 3}.q",
        "P{.a = 4}.a",
        "Q{.p = {.a = 1}, .c = 'x'}.c",
    ];
    case.put(c.pick(&last));
}

pub(super) fn bindings(c: &mut Choices<'_>, case: &mut Case) {
    let (a, b) = (c.below(50), c.below(50));
    case.declare("struct S { int x; char y; long long z; }; struct B { unsigned a : 3; int b : 5; int *p; }; struct D : S {}; __device__ S make(int a) { return {a, 'b', 3}; } struct N { S s; int r[2]; }; template <class T> __device__ int first(T t) { auto [x, y, z] = t; return x + y * 100 + z * 3; }");
    case.state(format!("S s{{{a}, 'c', {b}}}; int v[3] = {{{a}, {b}, 3}}; B bits{{{}, {}, v}}; D d{{}}; d.x = {b}; N n{{{{1, 2, 3}}, {{4, 5}}}}; int g[2][2] = {{{{1, 2}}, {{3, {a}}}}}; (void)g; (void)n; (void)d; (void)bits;", a % 8, b % 16));
    for _ in 0..5 {
        let text: &str = c.pick(&[
            "auto [x, y, z] = s; x = 9; w = x * 100 + y + z;",
            "auto &[x, y, z] = s; x = 9; y++; w = z;",
            "const auto &[x, y, z] = s; s.x = 44; w = x + y + z;",
            "auto &&[x, y, z] = make(7); x++; w = x + y + z;",
            "auto [x, y, z] = v; x = 50; w = x + y + z;",
            "auto &[x, y, z] = v; x = 51; w = y - z;",
            "auto [x, y, z] = d; w = x + y + z;",
            "auto &[t, r] = n; t.x = 8; r[1] = 9; w = sizeof(r);",
            "auto [t, r] = n; t.x = 8; r[1] = 9; w = r[0] + t.x;",
            "for (auto &[p, q] : g) { p += q; w += p; }",
            "for (auto [p, q] : g) { p += q; w += p; }",
            "auto [x, y, z] = make(3); auto f = [x = x, z = z] { return x + z; }; w = f() + y;",
            "if (auto [x, y, z] = make(2); x < z) w = y; else w = 1;",
            "auto [x, y, z]{make(5)}; w = sizeof(x) + sizeof(y) * 10 + sizeof(z) * 100; (void)x;",
            "const auto [x, y, z] = s; w = x - y + z;",
            "auto &[x, y] = g[1]; x = y = 6; w = g[1][0];",
        ]);
        case.state(format!("{{ long long w = 0; {text}"));
        case.put("w");
        case.state("}");
        case.put("s.x + s.y * 3 + s.z * 7 + v[0] * 11 + bits.a * 1000 + bits.b * 5 + n.s.x + n.r[1] + g[0][0] + g[1][0]");
    }
    case.put("first(s) + first(make(4))");
}
