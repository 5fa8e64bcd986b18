//! Lambdas, and when objects are made and destroyed.

use super::Case;
use crate::grammar::Choices;

pub(super) fn lambdas(c: &mut Choices<'_>, case: &mut Case) {
    let (a, b) = (c.below(9), c.below(9));
    case.state(format!("int x = {a}, y = {b}; char z = 'z'; (void)z;"));
    let capture: &str = c.pick(&[
        "=",
        "&",
        "x, &y, z",
        "&, x",
        "=, &y",
        "&x, y, z",
        "x = x + 1, &y, z",
        "=, y = 10",
        "&y = x, x, z",
        "z, x, y",
    ]);
    let write: &str = if c.chance(50) { "x += 1; y *= 2;" } else { "y = x + 3;" };
    case.state(format!(
        "auto f = [{capture}](int k) mutable {{ {write} return x * 100 + y * 10 + k + (z == 'z'); }};"
    ));
    case.state("x += 5; auto g = f;");
    case.put("f(1)");
    case.put("f(2)");
    case.put("g(3)");
    case.put("x * 100 + y");
    case.state("auto add = [](auto p, auto q) { return p + q; }; auto many = [](auto... q) { return (0 + ... + q) + sizeof...(q); };");
    case.put("add(1, 2.75) * 4 + sizeof(add('a', 'b'))");
    case.put("many() + many(1, 'a', 2L) * 100");
    case.state("auto nested = [=](int k) { return [=, &k]() { k += x; return k * 10 + y; }; }; auto copy = [x] { return x; }; (void)copy; int kept = 3;");
    case.put("[&] { return [&] { kept = kept * 7 + x; return kept; }() + kept; }()");
    case.put("sizeof(copy) * 100 + sizeof(add)");
    case.declare("struct H { int v; __device__ int go(int k) { auto f = [this, k] { v += k; return v; }; auto g = [*this, k]() mutable { v += k; return v; }; auto h = [=] { return v * k; }; int a = g(), b = f(), d = g(); return a * 10000 + b * 100 + d + h() * 1000000; } };");
    case.put(format!("H{{{a}}}.go({b})"));
    case.declare("template <class F> __device__ int twice(F f, int x) { return f(f(x)); } template <class F> __device__ int count(F &&f) { f(); f(); return f(); }");
    case.put("twice([y](int q) { return q * 3 + y; }, 2)");
    case.put("count([n = 0]() mutable { return ++n; })");
    case.state("auto rec = [](auto &self, int n) -> int { return n ? n + self(self, n - 1) : 0; }; const auto early = [x]() -> long long { if (x > 7) return 'x'; return x; };");
    case.put("rec(rec, 5) * 1000 + early()");
}

const TRACE: &str = "struct L { long long n; __device__ void add(int k) { n = (n * 13 + k) % 1000000007; } };\n\
    struct D { L *l; int id; __device__ D(L *l, int id) : l(l), id(id) { l->add(id); } __device__ D(const D &o) : l(o.l), id(o.id + 1) { l->add(id + 100); } __device__ D(D &&o) : l(o.l), id(o.id + 2) { l->add(id + 200); } \
    __device__ D &operator=(const D &o) { l->add(300 + o.id); id = o.id; return *this; } __device__ ~D() { l->add(id + 400); } __device__ int get() const { return id; } __device__ const D &self() const { return *this; } };\n\
    __device__ D make(L *l, int id) { return D(l, id); } __device__ D named(L *l, int id) { D d(l, id); return d; } __device__ int take(D d) { return d.id; } __device__ int see(const D &d) { return d.id; }\n\
    struct V : D { using D::D; __device__ operator bool() const { return l->n % 5; } }; struct W { D a, b; __device__ W(L *l) : b(l, 51), a(l, 52) { l->add(53); } __device__ ~W() { a.l->add(54); } }; struct X : D { D m; __device__ X(L *l) : D(l, 61), m(l, 62) {} __device__ ~X() { l->add(63); } };";

const TRACED: &[&str] = &[
    "D a(l, 1); D b(l, 2);",
    "{ D a(l, 3); } l->add(4);",
    "make(l, 5); l->add(6);",
    "const D &r = make(l, 7); l->add(r.id);",
    "take(D(l, 8)); l->add(9);",
    "D a(l, 10); take(a); see(a);",
    "D list[2] = {D(l, 11), {l, 12}};",
    "for (int i = 0; i < 3; ++i) { D d(l, 13 + i); if (i == 1) continue; l->add(i); }",
    "for (int i = 0; i < 3; ++i) { D d(l, 16 + i); if (i == 1) break; }",
    "W w(l);",
    "X x(l);",
    "if (D d(l, 20); d.id > 3) { D e(l, 21); } else l->add(22);",
    "D a(l, 23), b(l, 24); a = b;",
    "D a = make(l, 25); D b = a;",
    "D a(l, 26); D b = static_cast<D &&>(a);",
    "l->add(make(l, 27).get() + make(l, 28).get() * 0);",
    "D a(l, 29); a = D(l, 30);",
    "(void)(D(l, 31), D(l, 32));",
    "D &&r = D(l, 33); r.id = 34;",
    "switch (l->n & 1) { case 0: { D d(l, 35); break; } default: D e(l, 36); }",
    "bool t = l->n % 2; const D &r = t ? D(l, 37) : D(l, 38); l->add(r.id);",
    "auto f = [d = D(l, 39)] { return d.id; }; l->add(f());",
    "D a(l, 40); auto f = [a] { return a.id; }; auto g = f; l->add(g());",
    "struct Y { D p; D q; } y{D(l, 41), make(l, 42)};",
    "int n = 0;\nagain: { D d(l, 43 + n); if (++n < 3) goto again; }",
    "while (make(l, 44).id > 50) { break; }",
    "const int &m = make(l, 45).id; l->add(m); ",
    "see(make(l, 46).self());",
    "D *p = &static_cast<D &>(static_cast<D &&>(D(l, 47))); (void)p;",
    "W w(l); W v = w;",
    "if (l->n % 3 == 0) { D d(l, 48); return; }",
    "X x(l); D &d = x; d.id = 65;",
    "if (see(D(l, 49)) && see(D(l, 50)) > 60) l->add(70);",
    "D a(l, 71); D b = named(l, take(a));",
    "int n = 0; D a(l, 72);\nagain: D b(l, 73 + n); if (++n < 3) goto again; see(b);",
    "int n = 0; for (int i = 0; i < 3; ++i) { D d(l, 76 + i); for (int j = 0; j < 3; ++j) { D e(l, 79 + j); if (j == 1 && i == l->n % 3) goto again; n += i; } }\nagain: l->add(n);",
    "int n = 0; while (V v = V(l, 82 + n)) { if (++n == 3) break; if (n == 1) continue; D e(l, 85); }",
    "D list[2] = {D(l, 86), {l, 87}}; for (D d : list) see(d); for (const D &d : list) see(d);",
    "l->add(l->n % 2 ? (l->n % 3 ? make(l, 88).id : 0) : see(D(l, 89)) + take(D(l, 90)));",
    "const D &r = l->n % 2 ? make(l, 91) : D(l, 92); l->add(r.id);",
    "if (D d(l, 93); (d.id > l->n % 100 && make(l, 94).id > 7) || make(l, 95).id) l->add(96); else l->add(97);",
    "switch (see(D(l, 98)) % 3) { case 0: { D d(l, 99); if (see(d)) break; } case 1: see(D(l, 55)); default: D e(l, 56); if (l->n % 2) break; see(e); }",
];

pub(super) fn destructors(c: &mut Choices<'_>, case: &mut Case) {
    case.declare(TRACE);
    for n in 0..5 {
        let mut body = String::new();
        for _ in 0..1 + c.below(3) {
            let text = c.pick::<&str>(TRACED).to_owned();
            body += &if text.starts_with("int n") {
                text.replace("again", &format!("again{}", body.len()))
            } else {
                text
            };
            body = format!("{{ {body} }} ");
        }
        case.declare(format!("__device__ void t{n}(L *l) {{ l->add(1); {body}l->add(2); }}"));
        case.state(format!("{{ L l{{{}}}; t{n}(&l);", c.below(9)));
        case.put("l.n");
        case.state("}");
    }
}

pub(super) fn references(c: &mut Choices<'_>, case: &mut Case) {
    let (a, b) = (c.below(9), c.below(99));
    case.declare("__device__ int &larger(int &a, int &b) { return a > b ? a : b; } __device__ int &&moved(int &a) { return static_cast<int &&>(a); } __device__ const int &same_one(const int &a) { return a; } struct S { int x; int &r; int *p; }; __device__ int kind(int &) { return 1; } __device__ int kind(const int &) { return 2; } __device__ int kind(int &&) { return 3; } template <class T> __device__ int fwd(T &&t) { return kind(static_cast<T &&>(t)) * 10 + sizeof(T); }");
    case.state(format!(
        "int x = {a}, y = {b}, list[3] = {{1, 2, 3}}; const int k = {a}; (void)k; (void)list;"
    ));
    for _ in 0..8 {
        let text = c.pick(&[
            "larger(x, y) = 5;",
            "larger(x, y) += 3;",
            "(x < y ? x : y) = 9;",
            "int &r = x; r = y; y = 1;",
            "int &&r = moved(x); r = 4;",
            "int &&t = x + 1; t++; x = t;",
            "const int &r = x; x = 8; y = r;",
            "const long long &r = x; x = 12; y = r;",
            "S s{1, x, &y}; s.r = 3; *s.p = s.x; S s2 = s; s2.r++;",
            "int (&ar)[3] = list; ar[1] = x; y = sizeof(ar);",
            "int *&&pp = &x; *pp = 6;",
            "auto &&u = x; u++; auto &&v = x + 0; v++;",
            "auto copy = larger(x, y); copy = 0;",
            "decltype(auto) r = (x); r = 2;",
            "for (auto &e : list) e += x;",
            "for (auto e : list) e += x;",
            "const char &ch = x; x = 300; y = ch;",
            "++(++x);",
            "(x = y) = 3;",
            "(x, y) = 4;",
            "x = y = 2;",
            "int *p = &list[0]; *p++ = 7; *++p = 8;",
            "auto [p, q, z] = list; p = 50; y = q + z;",
            "auto &[p, q, z] = list; p = 51; (void)q; (void)z;",
        ]);
        case.state(format!("{{ {text} }}"));
        case.put("x * 10000 + y * 100 + list[0] + list[1] * 3 + list[2] * 7");
    }
    for e in
        ["x", "k", "5", "moved(x)", "same_one(3)", "larger(x, y)", "list[0]", "static_cast<const int &>(y)"]
    {
        if c.chance(50) {
            case.put(format!(
                "kind({e}) * 100 + {}",
                if e.contains("const") || e == "k" || e.contains("same") {
                    "0".into()
                } else {
                    format!("fwd({e})")
                }
            ));
        }
    }
}
