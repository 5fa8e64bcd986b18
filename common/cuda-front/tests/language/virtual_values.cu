struct S { __device__ virtual int f() const { return 1; } int x; };
struct T : S { __device__ int f() const override { return 2; } };
struct U : T { int more[3]; __device__ int f() const override { return more[1]; } };
struct Holder { int k; S s; T t; };
__device__ S make(int n) { T t; t.x = n; return t; }
__device__ S pick(const S &a, const S &b, bool c) { return c ? a : b; }
__device__ int by(S s) { return s.f() * 10 + s.x; }
extern "C" __global__ void k(int *o, int one) {
    int n = 0;
    Holder h{3, S(), T()};
    const S *parts[2] = {&h.s, &h.t}; o[n++] = parts[one - 1]->f(); o[n++] = parts[one]->f(); o[n++] = h.s.x;
    S many[2] = {make(3), T()};
    const S *m = many; o[n++] = m[one].f() + m[0].x; o[n++] = make(2).f() + make(4).x;
    T t; t.x = 7;
    S chosen = pick(t, many[0], one); const S &c = chosen; o[n++] = c.x * 10 + c.f();
    auto l = [t]() { const S &q = t; return q.f(); }; o[n++] = l();
    S *p = &t; auto g = [p]() { return p->f(); }; o[n++] = g();
    auto by_reference = [&](int k) { return t.f() + k + p->x; }; o[n++] = by_reference(one);
    U u; u.x = 1; u.more[1] = 30; u.more[0] = u.more[2] = 5;
    U v = u; v.more[1] = 40; S *all[2] = {&u, &v}; o[n++] = all[0]->f() + all[one]->f();
    o[n++] = by(u) + by(t); o[n++] = (one ? u : v).f(); o[n++] = (one ? *p : u).f();
    T &tr = u; tr = t; o[n++] = tr.f() * 100 + tr.x;
    T arr[2][2]; for (int i = 0; i < 4; i++) arr[i / 2][i % 2].x = i; const S &last = arr[one][one]; o[n++] = last.f() + last.x;
}
// EXPECT: 1 2 0 4 5 71 2 2 10 70 28 30 2 3007 5
