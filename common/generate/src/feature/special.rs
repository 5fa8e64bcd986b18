//! Partial specialisations of class and variable templates.

use super::{Case, id_of};
use crate::grammar::Choices;

const SETTING: &str = "template <class T> struct V {}; template <class T, class U> struct P {}; template <class... T> struct K {};\n\
    template <class T, int N> struct A {}; template <int N> struct I {}; enum E { e0 }; enum class F { f0 };\n\
    struct C { int d; __device__ int m(int) { return 0; } __device__ int n(int) const { return 0; } };\n\
    __device__ int fun(int x) { return x; } __device__ float fun2(int, char) { return 0; }\n\
    template <class T> using Ptr = T *; template <class T> using Fn = int (*)(T); template <class T> using Cn = const T;";

/// Template parameters and a pattern of one type; types are called `T`, `U`, `R`, packs `Q`, numbers `N` and `M`.
const PATTERNS: [(&str, &str); 62] = [
    ("class T", "T *"),
    ("class T", "T &"),
    ("class T", "T &&"),
    ("class T", "const T"),
    ("class T", "volatile T"),
    ("class T", "const volatile T"),
    ("class T, int N", "T[N]"),
    ("class T, unsigned long N", "T[N]"),
    ("class T", "T[]"),
    ("class R, class T", "R(T)"),
    ("class R, class T", "R (*)(T)"),
    ("class R, class... Q", "R(Q...)"),
    ("class R, class... Q", "R (*)(Q...)"),
    ("class R, class T", "R (&)(T)"),
    ("class R, class... Q", "R (&)(Q...)"),
    ("class R, class U, class T", "R (U::*)(T)"),
    ("class R, class U, class T", "R (U::*)(T) const"),
    ("class R, class U, class... Q", "R (U::*)(Q...)"),
    ("class T, class U", "T U::*"),
    ("class T", "T C::*"),
    ("template <class> class X, class T", "X<T>"),
    ("template <class...> class X, class... Q", "X<Q...>"),
    ("template <class, int> class X, class T, int N", "X<T, N>"),
    ("template <class, class> class X, class T, class U", "X<T, U>"),
    ("template <class, class> class X, class T", "X<T, T>"),
    ("template <int> class X, int N", "X<N>"),
    ("class T", "T **"),
    ("class T", "const T *"),
    ("class T", "volatile T *"),
    ("class T", "T *const"),
    ("class T", "const T *const"),
    ("class T", "const T &"),
    ("class T", "const T &&"),
    ("class T, int N", "T (&)[N]"),
    ("class T, int N", "const T (&)[N]"),
    ("class T, int N", "const T[N]"),
    ("class T, int N, int M", "T[N][M]"),
    ("class T, int N", "T[N][N]"),
    ("class T, int N", "T (*)[N]"),
    ("class T", "T[3]"),
    ("int N", "int[N]"),
    ("class T", "V<T>"),
    ("class T", "V<T *>"),
    ("class T", "V<V<T>>"),
    ("class T, class U", "P<T, U>"),
    ("class T", "P<T, T>"),
    ("class T", "P<T, int>"),
    ("class T", "P<V<T>, T>"),
    ("class... Q", "K<Q...>"),
    ("class T, class... Q", "K<T, Q...>"),
    ("class T, class U, class... Q", "K<T, U, Q...>"),
    ("class R, class... Q", "R(Q..., ...)"),
    ("class R, class T", "R(T, ...)"),
    ("class R", "R()"),
    ("class T", "void(T *)"),
    ("class T", "Ptr<T>"),
    ("class T", "Fn<T>"),
    ("class T", "Cn<T>"),
    ("class R, class T, class U", "R(T, U)"),
    ("class R, class T", "R(T, T)"),
    ("class R, class T", "R (*const)(T)"),
    ("class R, class T", "R (**)(T)"),
];

const ARGUMENTS: [&str; 70] = [
    "int",
    "char",
    "const int",
    "volatile float",
    "const volatile int",
    "int *",
    "int *const",
    "const char *",
    "int **",
    "const int *const *",
    "int &",
    "const int &",
    "int &&",
    "const int &&",
    "int[3]",
    "const int[3]",
    "int[]",
    "const int[]",
    "int[2][3]",
    "int[3][3]",
    "int (*)[3]",
    "int (&)[4]",
    "const int (&)[4]",
    "void()",
    "int(int)",
    "float(int, char)",
    "int(int, ...)",
    "int(...)",
    "int (*)(int)",
    "int (*)()",
    "void (*)(int, float)",
    "int (&)(int)",
    "int (&&)(int)",
    "int (C::*)(int)",
    "int (C::*)(int) const",
    "int C::*",
    "const int C::*",
    "V<int>",
    "V<int *>",
    "V<V<char>>",
    "P<int, int>",
    "P<int, char>",
    "P<char, int>",
    "P<V<int>, int>",
    "K<>",
    "K<int>",
    "K<int, char>",
    "K<int, char, float>",
    "A<int, 3>",
    "I<4>",
    "void(int *)",
    "decltype(&fun)",
    "decltype(fun)",
    "decltype(&C::m)",
    "decltype(&C::n)",
    "decltype(&C::d)",
    "int (*const)(int)",
    "const V<int>",
    "E",
    "F",
    "void",
    "void *",
    "const void *",
    "void(const int)",
    "void(int[3])",
    "Ptr<char>",
    "int(int, int)",
    "int (**)(int)",
    "const V<int *> *",
    "volatile int *",
];

/// What the parameters of a pattern stand for, as a number that tells whether deduction found the right ones.
fn found(parameters: &str) -> String {
    let mut value = String::from("0");
    for parameter in parameters.split(", ") {
        let name = parameter.split_whitespace().next_back().unwrap_or_default();
        let more = match name {
            "Q" => "sizeof...(Q)".to_owned(),
            "T" | "U" | "R" => id_of(name),
            "N" | "M" => name.to_owned(),
            _ => continue,
        };
        value = format!("({value}) * 100 + {more}");
    }
    value
}

/// How a template of constants is written.
#[derive(Clone, Copy)]
enum Form {
    Static,
    Enumerator,
    Function,
    Variable,
    Nested,
}

const FORMS: [Form; 5] = [Form::Static, Form::Enumerator, Form::Function, Form::Variable, Form::Nested];

impl Form {
    fn define(self, parameters: &str, pattern: &str, value: &str) -> String {
        let head = if pattern.is_empty() { String::new() } else { format!("<{pattern}>") };
        let head = format!(
            "template <{parameters}> {} S{head}",
            if let Form::Variable = self { "constexpr long long" } else { "struct" }
        );
        match self {
            Form::Static => format!("{head} {{ static constexpr long long v = {value}; }};"),
            Form::Enumerator => format!("{head} {{ enum : long long {{ v = {value} }}; }};"),
            Form::Function => {
                format!("{head} {{ static constexpr __device__ long long v() {{ return {value}; }} }};")
            }
            Form::Variable => format!("{head} = {value};"),
            Form::Nested => format!("{head} {{ struct W {{ static constexpr long long v = {value}; }}; }};"),
        }
    }

    fn use_of(self, arguments: &str) -> String {
        match self {
            Form::Static | Form::Enumerator => format!("S<{arguments}>::v"),
            Form::Function => format!("S<{arguments}>::v()"),
            Form::Variable => format!("S<{arguments}>"),
            Form::Nested => format!("S<{arguments}>::W::v"),
        }
    }
}

/// Declares one to `most` specialisations, each of another pattern.
fn specialise(
    c: &mut Choices<'_>,
    case: &mut Case,
    form: Form,
    patterns: &[(&'static str, &'static str)],
    most: usize,
) {
    let mut used: Vec<&str> = Vec::new();
    for n in 0..1 + c.below(most) {
        let (parameters, pattern) = c.pick(patterns);
        if !used.contains(&pattern) {
            used.push(pattern);
            case.declare(form.define(
                parameters,
                pattern,
                &format!("{}000000000 + {}", n + 2, found(parameters)),
            ));
        }
    }
}

pub(super) fn types(c: &mut Choices<'_>, case: &mut Case) {
    case.declare_id();
    case.declare(SETTING);
    let form = c.pick(&FORMS);
    case.declare(form.define("class T", "", &format!("1000000000 + {}", id_of("T"))));
    specialise(c, case, form, &PATTERNS, 4);
    for _ in 0..8 {
        case.put(form.use_of(c.pick::<&str>(&ARGUMENTS)));
    }
}

/// Patterns of two types, and of a type and a number.
const PAIRS: [(&str, &str); 24] = [
    ("class T", "T, T"),
    ("class T", "T, T *"),
    ("class T, class U", "T *, U *"),
    ("class T", "T *, T *"),
    ("class T", "T, int"),
    ("class T", "int, T"),
    ("class T, class U", "const T, U"),
    ("class T, class U", "T, const U"),
    ("class T", "T, const T"),
    ("class T, class U", "T, V<U>"),
    ("class T", "T, V<T>"),
    ("class T, class U", "T &, U"),
    ("class T, class U", "T &, U &&"),
    ("class T, class U", "T(U), U"),
    ("class T, class U, int N", "T[N], U"),
    ("class T, int N", "T[N], T"),
    ("", "int, int"),
    ("", "int, char"),
    ("template <class> class X, class T", "X<T>, T"),
    ("template <class> class X, class T, class U", "X<T>, X<U>"),
    ("class T, class... Q", "K<Q...>, T"),
    ("class T, class... Q", "K<T, Q...>, T"),
    ("class T, class... Q", "T, K<T, Q...>"),
    ("class... Q", "K<Q...>, K<Q...>"),
];

const NUMBERED: [(&str, &str); 12] = [
    ("class T", "T, 0"),
    ("class T", "T, 3"),
    ("class T, int N", "T *, N"),
    ("class T", "T *, 3"),
    ("int N", "int, N"),
    ("class T, int N", "T[N], N"),
    ("class T, int N", "A<T, N>, N"),
    ("class T, int N, int M", "A<T, M>, N"),
    ("class T, int N", "const T, N"),
    ("", "int, 3"),
    ("class T", "T, -1"),
    ("int N", "I<N>, N"),
];

const PAIR_TYPES: [&str; 16] = [
    "int",
    "char",
    "int *",
    "const int",
    "V<int>",
    "V<char>",
    "int &",
    "int &&",
    "int[3]",
    "int(int)",
    "K<>",
    "K<int>",
    "K<int, char>",
    "A<int, 3>",
    "I<3>",
    "const int *",
];

pub(super) fn lists(c: &mut Choices<'_>, case: &mut Case) {
    case.declare_id();
    case.declare(SETTING);
    let form = c.pick(&FORMS);
    let numbered = c.chance(40);
    let default = c.chance(40);
    let (parameters, patterns): (String, &[_]) = match (numbered, default) {
        (true, true) => ("class T, int N = 3".into(), &NUMBERED),
        (true, false) => ("class T, int N".into(), &NUMBERED),
        (false, true) => ("class T, class U = T".into(), &PAIRS),
        (false, false) => ("class T, class U".into(), &PAIRS),
    };
    case.declare(form.define(&parameters, "", "1000000000"));
    specialise(c, case, form, patterns, 3);
    for _ in 0..6 {
        let first = c.pick::<&str>(&PAIR_TYPES);
        let second: &str = match numbered {
            true => c.pick(&["0", "3", "-1", "1 + 2", "'\\3'", "sizeof(int)"]),
            false if c.chance(40) => first,
            false => c.pick(&PAIR_TYPES),
        };
        let arguments = if default && c.chance(40) { first.to_owned() } else { format!("{first}, {second}") };
        case.put(form.use_of(&arguments));
    }
    if c.chance(50) {
        // The idiom of detection: a second argument that is `void` where an expression is well-formed.
        case.declare("template <class...> using void_t = void; struct Has { using type = int; int x; };");
        case.declare("template <class T, class = void> struct Detect { static constexpr int v = 0; };");
        let probe = c.pick(&[
            "typename T::type",
            "decltype(T::x)",
            "decltype(T() + 1)",
            "T *",
            "T &",
            "decltype(*T())",
        ]);
        case.declare(format!(
            "template <class T> struct Detect<T, void_t<{probe}>> {{ static constexpr int v = 1; }};"
        ));
        for ty in ["int", "Has", "int *", "void", "int &"] {
            case.put(format!("Detect<{ty}>::v"));
        }
    }
}

const PACKS: [(&str, &str); 18] = [
    ("", ""),
    ("class T", "T"),
    ("class T, class U", "T, U"),
    ("class T, class... Q", "T, Q..."),
    ("class T, class... Q", "T *, Q..."),
    ("class T, class... Q", "T, T, Q..."),
    ("class... Q", "int, Q..."),
    ("class T, class... Q", "T, const T, Q..."),
    ("class... Q", "V<Q>..."),
    ("class... Q", "Q *..."),
    ("class T, class... Q", "V<T>, Q..."),
    ("class T, class... Q", "K<Q...>, T"),
    ("class T, class... Q", "T(Q...)"),
    ("class T, class U, class... Q", "T, U, Q..."),
    ("class... Q", "K<Q...>"),
    ("class... Q", "K<Q...>, Q..."),
    ("class... Q", "const Q..."),
    ("", "int, char"),
];

const VALUE_PACKS: [(&str, &str); 9] = [
    ("", ""),
    ("int N", "N"),
    ("int N, int... Z", "N, Z..."),
    ("int... Z", "0, Z..."),
    ("int N", "N, N"),
    ("int N, int M, int... Z", "N, M, Z..."),
    ("int N, int... Z", "N, N, Z..."),
    ("", "1, 2"),
    ("int... Z", "-1, Z..."),
];

pub(super) fn packs(c: &mut Choices<'_>, case: &mut Case) {
    case.declare_id();
    case.declare(SETTING);
    let form = c.pick(&FORMS);
    let of_values = c.chance(35);
    let mut used: Vec<&str> = Vec::new();
    case.declare(form.define(if of_values { "int... Z" } else { "class... Q" }, "", "1000000000"));
    for n in 0..1 + c.below(3) {
        let (parameters, pattern) = if of_values { c.pick(&VALUE_PACKS) } else { c.pick(&PACKS) };
        // A variable without arguments cannot be told from the primary template by `Form::define`.
        if pattern.is_empty() || used.contains(&pattern) {
            continue;
        }
        used.push(pattern);
        let more = if parameters.contains("... Z") { " + 10 * sizeof...(Z)" } else { "" };
        case.declare(form.define(
            parameters,
            pattern,
            &format!("{}000000000 + {}{more}", n + 2, found(parameters)),
        ));
    }
    for _ in 0..7 {
        let mut list: Vec<&str> = Vec::new();
        for _ in 0..c.below(4) {
            let again = list.last().copied().filter(|_| c.chance(40));
            let next = match of_values {
                true => c.pick(&["0", "1", "2", "-1", "7"]),
                false => c.pick(&[
                    "int",
                    "char",
                    "int *",
                    "const int",
                    "V<int>",
                    "K<int>",
                    "K<>",
                    "float",
                    "int(char)",
                    "const char",
                ]),
            };
            list.push(again.unwrap_or(next));
        }
        case.put(form.use_of(&list.join(", ")));
    }
}
