//! Constant evaluation, default arguments, `if constexpr`, folds, and jumps.

use super::Case;
use crate::grammar::Choices;

pub(super) fn constants(c: &mut Choices<'_>, case: &mut Case) {
    let (a, b, n) = (c.below(9), 1 + c.below(7), 1 + c.below(6));
    let step = c.pick(&[
        "s += i * A;",
        "s = s * 3 + i;",
        "if (i % 2) continue; s += A;",
        "if (i > 3) break; s -= B;",
        "s ^= i << B;",
        "for (int j = 0; j < i; ++j) s += j ^ A;",
        "switch (i & 3) { case 0: s += 1; case 1: s += A; break; default: s -= 1; }",
    ]);
    let step = step.replace('A', &a.to_string()).replace('B', &b.to_string());
    case.declare(format!("constexpr __host__ __device__ long long loop(int n) {{ long long s = {a}; for (int i = 0; i < n; ++i) {{ {step} }} return s; }}"));
    case.declare(format!(
        "constexpr __host__ __device__ int fib(int n) {{ return n < 2 ? n : fib(n - 1) + fib(n - {}); }}",
        1 + b % 2
    ));
    case.declare("struct Q { int x; int y[3]; constexpr __host__ __device__ Q(int a) : x(a * 2), y{a, a + 1} {} constexpr __host__ __device__ int sum() const { int s = x; for (int v : y) s = s * 7 + v; return s; } };");
    case.declare("constexpr __host__ __device__ Q change(Q q, int d) { q.y[2] = d; q.x++; q.y[0] += q.x--; return q; }");
    case.declare(
        "constexpr __host__ __device__ int length(const char *s) { int n = 0; while (*s++) ++n; return n; }",
    );
    case.declare("template <long long N> struct K { static constexpr long long v = N; }; template <int N> constexpr int fact = N * fact<N - 1>; template <> constexpr int fact<0> = 1;");
    case.put(format!("K<loop({n})>::v"));
    case.put(format!("K<fib({n})>::v"));
    case.put(format!("K<change(Q({a}), {b}).sum()>::v"));
    case.put(format!("fact<{n}>"));
    if c.chance(20) {
        case.put(format!(
            "K<length(\"{}\")>::v",
            "abc\\0d".repeat(n).get(0..n).unwrap_or("").trim_end_matches('\\')
        ));
    }
    case.state(format!(
        "constexpr Q q({b}); int sized[q.y[1] + {n}]; (void)sized; static_assert(q.x == {}, \"\");",
        2 * b
    ));
    case.put("sizeof(sized) + K<q.y[2]>::v");
    let value = c
        .pick(&[
            "(unsigned char)(300 + @)",
            "-@ / 2",
            "-7 % (@ + 1)",
            "(@ << 3) | 1",
            "~@ >> 1",
            "(int)(2.5 * @)",
            "@ > 2 ? 'a' : 1L",
            "1u - @",
            "(short)(65535 - @)",
            "!@ + !!@",
            "(@ == 1, 5)",
        ])
        .replace('@', &b.to_string());
    case.put(format!("K<(long long)({value})>::v"));
}

pub(super) fn defaults(c: &mut Choices<'_>, case: &mut Case) {
    let (a, b) = (c.below(50), 1 + c.below(9));
    let ty: &str = c.pick(&["int", "char", "unsigned char", "short", "long long", "unsigned", "bool"]);
    case.declare(format!("template <class T, int N = {b}> struct S {{ static constexpr T v = (T)({a} * N); static constexpr int w = v + N; T m = v; int k{{N + 1}}; static constexpr T list[] = {{v, (T)(v + 1), 3}}; enum {{ e = N * 2 }}; }};"));
    case.put(format!("S<{ty}>::v"));
    case.put(format!("S<{ty}, {a}>::w"));
    case.put(format!("S<{ty}>{{}}.m * 100 + S<{ty}>().k"));
    case.put(format!("S<{ty}>::list[1] + sizeof(S<{ty}>::list)"));
    case.put(format!("S<{ty}>::e"));
    case.declare(format!("struct Base {{ static constexpr int t = {a}; }}; struct Derived : Base {{ static constexpr int t = Base::t + 1; static constexpr int u = t; __device__ int get(int x = t) const {{ return x + u; }} }};"));
    case.put("Derived().get() * 100");
    if c.chance(20) {
        case.put("Derived::Base::t");
    }
    case.put(format!("Derived{{}}.get({b})"));
    case.declare(format!("constexpr int outer = {a}; __device__ int f(int x, int y = outer + 1, int z = sizeof(int)); __device__ int f(int x, int y, int z) {{ return x * 10000 + y * 100 + z; }}"));
    case.state(format!("int outer = {b}; (void)outer; {{ "));
    case.put("f(outer)");
    case.put("f(1, outer)");
    case.state("}");
    case.declare("__device__ int g(int x, int y); __device__ int g(int x, int y = 4); __device__ int g(int x = 3, int y); __device__ int g(int x, int y) { return x * 10 + y; }");
    case.put("g() * 100 + g(9)");
    case.declare(format!("template <class T = {ty}, class U = T *> __device__ int h(T t = T({b}), U u = nullptr) {{ return (int)t * 100 + (u == nullptr) + 2 * sizeof(T); }}"));
    case.put("h() * 10000 + h('a')");
    case.put(format!("h<short>() + h<long long>({a})"));
    case.state("int n = 0; auto next = [&n](int x = 5) { n += x; return n; };");
    case.put("(next(), next(2), n)");
}

pub(super) fn folds(c: &mut Choices<'_>, case: &mut Case) {
    let op: &str = c.pick(&["+", "-", "*", "&", "|", "^", "<", "&&", "||", ",", "==", "%", "<<", "!="]);
    let form: &str = c.pick(&[
        "(... @ q)",
        "(q @ ...)",
        "(q @ ... @ 3)",
        "(3 @ ... @ q)",
        "((q + 1) @ ...)",
        "(... @ (q * 2))",
        "(100 @ ... @ (q + sizeof...(q)))",
    ]);
    case.declare(format!(
        "template <class... Q> __device__ auto fold(Q... q) {{ return {}; }}",
        form.replace('@', op)
    ));
    let empty = form.contains("3 ") || form.contains(" 3") || form.contains("100");
    for n in usize::from(!empty || op == ",")..4 {
        let list: Vec<String> =
            (0..n).map(|i| ["1", "2", "3u", "'a'", "5L", "true"][(i + c.below(6)) % 6].to_owned()).collect();
        if op != "<<" || n < 3 {
            let call = format!("fold({})", list.join(", "));
            case.put(if op == "<<" { call.replace("'a'", "4").replace("3u", "2") } else { call });
        }
    }
    case.declare("template <class... Q> __device__ int all(Q... q) { return (... && q) + 2 * (... || q) + 4 * sizeof...(Q); }");
    case.put("all() * 100 + all(1, 0)");
    case.declare("template <class T> __device__ long long pick(T t) { if constexpr (sizeof(T) == 1) return t.q; else if constexpr (same<T, int>) return t + 1; else if constexpr (sizeof(T) > 4) { return 8 + (long long)t; } else return 3; }".replace("t.q", "t * 2"));
    case.put(format!("pick({})", c.pick::<&str>(&["'a'", "1", "2L", "3.0f", "4.0", "(short)5", "true"])));
    case.declare("template <int N, int... M> struct Sum { static constexpr int v = N + Sum<M...>::v * 10; }; template <int N> struct Sum<N> { static constexpr int v = N; };");
    case.put(format!("Sum<{}, {}, 3>::v", c.below(9), c.below(9)));
    case.declare("template <int... N> __device__ int order() { int s = 0; ((s = s * 10 + N), ...); int list[] = {N...}; for (int x : list) s = s * 3 + x; return s; }");
    case.put(format!("order<{}, {}, {}>()", c.below(9), c.below(9), c.below(9)));
    case.declare("template <class T, class... Q> __device__ int count(T t, Q... q) { if constexpr (sizeof...(q) > 0) return 1 + 2 * count(q...); else return (int)t; }");
    case.put(format!("count(1, 'b', 2.0, {})", c.below(9)));
}

pub(super) fn jumps(c: &mut Choices<'_>, case: &mut Case) {
    let mut body = String::new();
    let fall = c.below(8);
    for n in 0..3 {
        body += &format!(
            "case {}: {} {} ",
            [n, n + 7, n * 5][c.below(3)] * 3 + n,
            ["s += 5;", "s *= 2;", "s ^= x;", "{ int y = x; s -= y; }"][c.below(4)],
            if fall & (1 << n) != 0 {
                ""
            } else {
                c.pick(&["break;", "return s;", "continue;", "goto end;"])
            }
        );
        if c.chance(30) {
            body = body.replace("default: s += 11; ", "") + "default: s += 11; ";
        }
    }
    let over = c.pick(&["x", "x & 7", "x * 3", "(char)x", "x - 2"]);
    case.declare(format!("__device__ int f(int n) {{ int s = 1; for (int x = 0; x < n; ++x) {{ switch ({over}) {{ {body} }} s += 1; if (s > 1000) goto end; }} s = s * 3;\nend: return s; }}"));
    for n in [1, 3, 5, 9] {
        case.put(format!("f({n})"));
    }
    let back = c.pick(&[
        "if (i < 5) goto top;",
        "if (i == 2) { i = 7; goto top; } if (i < 9) goto top;",
        "while (i < 6) { ++i; if (i == 4) goto out; }",
        "do { if (i & 1) continue; r += i; } while (++i < 6);",
    ]);
    case.declare(format!(
        "__device__ int g(int r) {{ int i = 0;\ntop: ++i; r = r * 2 + i; {back}\nout: return r; }}"
    ));
    case.put(format!("g({})", c.below(5)));
    let count = 1 + c.below(9);
    if c.chance(20) {
        case.declare("__device__ int duff(int n) { int r = 0, k = (n + 3) / 4; switch (n % 4) { case 0: do { r += 1; case 3: r += 10; case 2: r += 100; case 1: r += 1000; } while (--k > 0); } return r; }");
        case.put(format!("duff({count})"));
    }
    case.declare("__device__ int nest(int n) { for (int i = 0; i < n; ++i) for (int j = 0;; ++j) { if (j > i) break; if (i * j == 6) goto found; switch (j) { case 2: switch (i) { case 2: break; default: continue; } case 9: n -= 1; } } return n;\nfound: return 100; }");
    case.put(format!("nest({count})"));
}
