//! Operands of `sizeof`, `alignof`, `decltype` and `noexcept`, which are not evaluated.

use super::{Case, id_of};
use crate::grammar::Choices;

const EXPRESSIONS: [&str; 40] = [
    "i",
    "(i)",
    "i++",
    "++i",
    "i + 1L",
    "i = 3",
    "c + c",
    "c",
    "'a'",
    "-c",
    "~s",
    "s << 1L",
    "r",
    "f(i)",
    "g(i)",
    "ci",
    "(ci)",
    "a[0]",
    "p",
    "*p",
    "&i",
    "i, c",
    "b ? i : i",
    "b ? i : 1",
    "b ? c : s",
    "st.m",
    "(st.m)",
    "cst.m",
    "(cst.m)",
    "(i < 3)",
    "!i",
    "i && b",
    "(char)i",
    "static_cast<int &&>(i)",
    "nullptr",
    "1.0f * i",
    "st.get()",
    "h<char>()",
    "sizeof(i)",
    "alignof(int)",
];

pub(super) fn operands(c: &mut Choices<'_>, case: &mut Case) {
    case.declare_id();
    case.declare("struct St { int m; __device__ int get() const noexcept { return m; } __device__ ~St() {} }; struct Th { int m; __device__ Th() noexcept(false) {} }; __device__ int f(int) noexcept; __device__ int &g(int &); template <class T> __device__ T h() noexcept(sizeof(T) == 1); __device__ int size(int a[9]) { return sizeof(a); } template <class T> __device__ auto trail(T t) -> decltype(t + 1) { return t + 1; } __device__ decltype(auto) whole(int &x) { return (x); } __device__ auto part(int &x) { return (x); }");
    case.state("int i = 1; char c = 2; short s = 3; const int ci = 4; int &r = i; int a[5] = {}; int *p = a; bool b = true; St st{7}; const St &cst = st; (void)c; (void)s; (void)ci; (void)r; (void)p; (void)b; (void)cst; (void)a;");
    let excepts = c.chance(20);
    for _ in 0..6 {
        let e: &str = c.pick(&EXPRESSIONS);
        case.put(format!("{} * 100 + sizeof({e})", id_of(&format!("decltype({e})"))));
        let e: &str = c.pick(&EXPRESSIONS);
        case.put(format!(
            "{} + {}",
            if excepts { format!("noexcept({e})") } else { format!("sizeof(({e}, 1))") },
            c.pick::<&str>(&[
                "sizeof(Th)",
                "sizeof(int[3])",
                "sizeof a",
                "sizeof(r) * 2",
                "size(a)",
                "alignof(double) * 3",
                "sizeof(St[2])",
                "sizeof(void (*)())",
                "sizeof *p",
                "sizeof(a) / sizeof(*a)",
                "alignof(int[4])",
                "sizeof i * 3",
                "sizeof(int) - 5 < 0",
                "sizeof(char) - 2 > 0"
            ])
        ));
    }
    case.put("i");
    case.put(format!("{} + {} * 100", id_of("decltype(trail('a'))"), id_of("decltype(whole(i))")));
    case.put(id_of("decltype(part(i))"));
    case.state("auto x1 = ci; auto &x2 = ci; auto *x3 = &ci; const auto x4 = c; auto &&x5 = i; decltype(x2) x6 = i; auto x7 = a; auto x8 = \"ab\"; (void)x1; (void)x2; (void)x3; (void)x4; (void)x5; (void)x6; (void)x7; (void)x8;");
    case.put(id_of(&format!("decltype(x{})", 1 + c.below(8))));
    case.put("sizeof(++i) + sizeof(i += 3) + i");
}
