struct A {
    int *log;
    __device__ A(int *l) : log(l) { note(1); }
    __device__ A(const A &a) : log(a.log) { note(2); }
    __device__ virtual ~A() { note(3); }
    __device__ void note(int n) { log[0] = log[0] * 3 + id() + n; log[0] %= 100003; }
    __device__ virtual int id() const { return 1; }
    __device__ A &operator=(const A &) = default;
};
struct B : A {
    int v;
    __device__ B(int *l, int v) : A(l), v(v) { note(4); }
    __device__ ~B() override { note(5); }
    __device__ int id() const override { return 10 + v; }
};
struct C : B {
    B part;
    __device__ C(int *l) : B(l, 7), part(l, 9) {}
    __device__ int id() const override { return 20 + part.id(); }
};
struct P { int a; virtual __device__ int f() const { return a; } };
struct Q : P { int b; virtual __device__ int f() const { return a + b; } };
__device__ int sliced(P p) { return p.f() + 1000; }
__device__ int whole(const P &p) { return p.f(); }
__device__ P back(const Q &q) { return q; }
extern "C" __global__ void k(int *o, int one) {
    int log = 0, n = 0;
    { A a(&log); o[n++] = log; B b(&log, 3); o[n++] = log; A sliced(b); o[n++] = log; A &r = one ? b : a; r.note(0); o[n++] = log; }
    o[n++] = log;
    { C c(&log); o[n++] = log; A &r = c; r.note(one); o[n++] = log; B copy(c); o[n++] = copy.id(); static_cast<A &>(copy).note(2); }
    o[n++] = log;
    Q q; q.a = 3; q.b = 40;
    Q q2 = q; q2.b = 50;
    P p = q2; o[n++] = whole(p); o[n++] = whole(q2); o[n++] = sliced(q2);
    P &r = q2; q.a = 5; r = q; o[n++] = whole(q2); o[n++] = r.f();
    r = p; o[n++] = r.f();
    q2 = q; o[n++] = r.f();
    o[n++] = back(q).f() + whole(back(q2));
    P many[3]; for (int i = 0; i < 3; i++) many[i].a = i + one;
    P *m = many; o[n++] = m[2].f(); many[1] = q; o[n++] = m[one].f();
    struct Holder { P p; Q q; int z; };
    Holder h; h.p.a = 2; h.q.a = 3; h.q.b = 4; h.z = 1;
    Holder g = h; Holder &gr = g; o[n++] = whole(gr.p) * 100 + whole(gr.q);
    Q made = Q(q2); o[n++] = whole(made);
    P *ptr = &made; P by = *ptr; o[n++] = whole(by); const P &cr = one ? *ptr : by; o[n++] = cr.f();
    Q t = one ? q : q2; o[n++] = whole(t);
}
// EXPECT: 2 41 126 391 31957 88714 66176 17 94549 3 53 1003 55 55 53 45 10 3 5 207 45 5 45 45
