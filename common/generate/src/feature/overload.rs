//! Which function of several a call means.

use super::{Case, INTEGERS};
use crate::grammar::Choices;

const SETTING: &str = "struct B { int b; }; struct D : B { int d; }; struct E2 : D {}; template <class T> struct V { T t; };\n\
    struct From { int v; __device__ From(int x) : v(x) {} }; struct To { __device__ operator int() const { return 4; } };\n\
    enum U { u0, u1 }; enum class S : short { s0 }; enum N : unsigned char { n0 };\n\
    __device__ int fun(int x) { return x; }";

/// Variables of the function that calls, and arguments made of them.
const LOCALS: &str = "int i = 1; const int ci = 2; short s = 3; char c = 4; unsigned u = 5; long l = 6; float fl = 7; double d = 8; bool b = true; \
    long long ll = 9; unsigned char uc = 3; int a[3] = {1, 2, 3}; const int ca[2] = {1, 2}; int *p = a; const int *cp = a; void *vp = a; B bb{1}; D dd{}; \
    E2 ee{}; const D cd{}; V<int> vi{1}; V<char> vc{'a'}; const V<int> cvi{2}; From from(2); To to; int *const pc = a; int **pp = &p; volatile int vol = 1; int &ri = i;";

const ARGUMENTS: [&str; 52] = [
    "i",
    "ci",
    "s",
    "c",
    "u",
    "l",
    "fl",
    "d",
    "b",
    "ll",
    "uc",
    "a",
    "ca",
    "p",
    "cp",
    "vp",
    "bb",
    "dd",
    "ee",
    "cd",
    "vi",
    "vc",
    "cvi",
    "from",
    "to",
    "pc",
    "pp",
    "vol",
    "ri",
    "1",
    "1u",
    "'x'",
    "1.0f",
    "1.0",
    "true",
    "nullptr",
    "0",
    "1LL",
    "(short)1",
    "u1",
    "S::s0",
    "n0",
    "fun",
    "&fun",
    "&i",
    "&ci",
    "&dd",
    "(int &&)i",
    "D()",
    "V<int>{3}",
    "\"text\"",
    "(const int &&)i",
];

const TEMPLATES: [&str; 44] = [
    "class T|T",
    "class T|T *",
    "class T|const T *",
    "class T|T &",
    "class T|const T &",
    "class T|T &&",
    "class T|V<T>",
    "class T|const V<T> &",
    "class T|V<T> &",
    "class T|T **",
    "class T, int N|T (&)[N]",
    "class T, int N|const T (&)[N]",
    "class R, class A|R (*)(A)",
    "class R, class... A|R (*)(A...)",
    "template <class> class X, class T|X<T>",
    "class T|T *const &",
    "class T|const T &&",
    "class T|volatile T *",
    "|int",
    "|const int &",
    "|int &",
    "|double",
    "|long",
    "|int *",
    "|const int *",
    "|void *",
    "|const void *",
    "|B",
    "|const B &",
    "|B *",
    "|bool",
    "|char",
    "|...",
    "class... T|T...",
    "class T, class... Q|T, Q...",
    "class T|T, ...",
    "class T, class = int|T *",
    "class T, int N = 3|T",
    "|From",
    "|V<int>",
    "|unsigned",
    "|float",
    "class T|int T::*",
    "|short",
];

pub(super) fn templates(c: &mut Choices<'_>, case: &mut Case) {
    set(c, case, |c| c.pick::<&str>(&TEMPLATES).to_owned(), 2, 4);
}

/// Types of parameters beside [`INTEGERS`].
const PLAIN: [&str; 28] = [
    "float",
    "double",
    "int &",
    "const int &",
    "int &&",
    "const int &&",
    "int *",
    "const int *",
    "volatile int *",
    "void *",
    "const void *",
    "B",
    "B &",
    "const B &",
    "B &&",
    "B *",
    "const B *",
    "D &",
    "const D &",
    "const D *",
    "From",
    "const From &",
    "To",
    "S",
    "U",
    "N",
    "...",
    "decltype(nullptr)",
];

pub(super) fn ranking(c: &mut Choices<'_>, case: &mut Case) {
    if c.chance(25) {
        return pairs(c, case);
    }
    if c.chance(20) {
        return methods(c, case);
    }
    let types = [&INTEGERS[..], &PLAIN].concat();
    set(c, case, |c| format!("|{}", c.pick(&types)), 2, 5);
}

/// Functions with one parameter each, and calls.
fn set(
    c: &mut Choices<'_>,
    case: &mut Case,
    one: impl Fn(&mut Choices<'_>) -> String,
    least: usize,
    most: usize,
) {
    case.declare(SETTING);
    let mut used: Vec<String> = Vec::new();
    for n in 0..least + c.below(most - least + 1) {
        let made = one(c);
        if used.contains(&made) {
            continue;
        }
        let (template, parameters) = made.split_once('|').expect("both parts");
        let head = if template.is_empty() { String::new() } else { format!("template <{template}> ") };
        case.declare(format!("{head}__device__ constexpr int f{}", function(parameters, n + 1)));
        used.push(made);
    }
    case.state(LOCALS);
    for _ in 0..2 {
        case.put(format!("f({})", c.pick::<&str>(&ARGUMENTS)));
    }
}

fn function(parameters: &str, value: usize) -> String {
    format!("({parameters}) {{ return {value}; }}")
}

/// Functions with two parameters.
fn pairs(c: &mut Choices<'_>, case: &mut Case) {
    case.declare(SETTING);
    let some = [
        "int",
        "char",
        "double",
        "const int &",
        "int &",
        "long",
        "const int *",
        "int *",
        "B &",
        "const D &",
        "short",
        "bool",
        "unsigned",
    ];
    let mut used = Vec::new();
    for n in 0..2 + c.below(2) {
        let (x, y) = (c.pick::<&str>(&some), c.pick::<&str>(&some));
        let defaults = if c.chance(20) && y == "int" { " = 3" } else { "" };
        let list = format!("{x}, {y}{defaults}");
        if used.contains(&(x, y)) {
            continue;
        }
        used.push((x, y));
        case.declare(format!("__device__ int f{}", function(&list, n + 1)));
    }
    case.state(LOCALS);
    let some = ["i", "c", "d", "s", "1", "'c'", "1.0", "p", "cp", "dd", "bb", "u", "true", "u1"];
    case.put(format!("f({}, {})", c.pick::<&str>(&some), c.pick::<&str>(&some)));
}

/// Methods with qualifiers, operators, and functions of a base.
fn methods(c: &mut Choices<'_>, case: &mut Case) {
    case.declare(SETTING);
    let qualifiers: &[&str] = c.pick(&[
        &["", " const"] as &[&str],
        &[" &", " const &", " &&"],
        &[" &", " &&"],
        &[" const &", " const &&"],
        &["", " const", " volatile"],
    ]);
    let mut class = String::from("struct M { int x = 0; ");
    for (n, q) in qualifiers.iter().enumerate() {
        class += &format!("__device__ int f(){q} {{ return {}; }} ", n + 1);
        class += &format!("__device__ int operator[](int){q} {{ return {}; }} ", n + 11);
    }
    case.declare(class + "};");
    case.declare("struct H : M { __device__ int f(double) { return 50; } }; struct O : M { using M::f; __device__ int f(double) { return 51; } };");
    case.state("M m; const M &cm = m; H h; O o2; (void)h; (void)o2;");
    case.put("m.f()");
    let use_of = c.pick(&[
        "cm.f()",
        "M().f()",
        "m[1]",
        "cm[1]",
        "static_cast<M &&>(m).f()",
        "h.f(1)",
        "o2.f(1.0f)",
        "o2.f()",
        "static_cast<const M &&>(cm).f()",
    ]);
    case.put(use_of);
    case.put(c.pick(&["M()[2]", "h.f(2.0)", "h.M::f()", "(&m)->f()", "o2.f(1)"]));
}
