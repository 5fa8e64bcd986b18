// EXPECT: 4 3 7 10 6 8 3 55 55 20 41 21 21 2 9 61 31 4 9 56 0 3 6 103 0 5 105 6 106 6 7 50 60 70 71
// References to a base bound to temporaries of a derived class, and how long these live.
struct Base { int a; __device__ int get() const { return a; } };
struct Mid { int m; };
struct Derived : Mid, Base { int b; __device__ Derived(int x, int y) { m = x + y; a = x; b = y; } };
struct Loud { int *n; int v; __device__ Loud(int *p, int q) : n(p), v(q) {} __device__ ~Loud() { *n += v; } };
struct Louder : Loud { int w; __device__ Louder(int *p, int q) : Loud(p, q), w(q * 2) {} __device__ ~Louder() { *n += 100; } };
__device__ int twice(const Base& r) { return 2 * r.get(); }
__device__ int down(const Base& r) { return static_cast<const Derived&>(r).b; }
__device__ int downc(const Base& r) { return ((const Derived&)r).b; }
__device__ int downp(const Base* r) { return static_cast<const Derived*>(r)->b; }
__device__ Derived make(int x) { return Derived(x, x + 1); }
struct Agg { int q[3]; Base base; };
__device__ Agg agg() { return Agg{{1, 2, 3}, {9}}; }
template<class T> __device__ int sum(T&& t) { return t.a + t.b; }
__global__ void k(int *out) {
  int n = 0;
  const Base& r = Derived(3, 4);
  out[n++] = static_cast<const Derived&>(r).b; out[n++] = r.a; out[n++] = static_cast<const Derived&>(r).m;
  out[n++] = twice(Derived(5, 6)); out[n++] = down(Derived(5, 6)); out[n++] = downc(Derived(7, 8));
  Derived d(1, 2); Base &br = d; out[n++] = static_cast<Derived&>(br).m; static_cast<Derived&>(br).b = 55; out[n++] = d.b; out[n++] = downp(&d);
  Base&& rr = make(20); out[n++] = rr.a; rr.a = 21; out[n++] = static_cast<Derived&>(rr).m; out[n++] = rr.a; out[n++] = static_cast<Derived&&>(rr).b;
  const int& field = agg().q[1]; out[n++] = field; const Base& inner = agg().base; out[n++] = inner.a;
  const Mid& m = make(30); out[n++] = m.m; out[n++] = static_cast<const Derived&>(m).b;
  auto&& u = make(3); out[n++] = u.b; out[n++] = sum(make(4)); out[n++] = sum(d);
  int log = 0;
  { const Loud& l = Louder(&log, 3); out[n++] = log; out[n++] = l.v; out[n++] = static_cast<const Louder&>(l).w; }
  out[n++] = log; log = 0;
  { const int& v = Louder(&log, 5).v; out[n++] = log; out[n++] = v; }
  out[n++] = log; log = 0;
  out[n++] = Louder(&log, 6).v + log; out[n++] = log;
  const double& dd = 3; out[n++] = (int)(dd * 2);
  int i = 7; const long& li = i; i = 8; out[n++] = (int)li;
  Base copy = make(50); out[n++] = copy.a; copy = make(60); out[n++] = copy.a;
  out[n++] = static_cast<Base&&>(make(70)).a; out[n++] = static_cast<const Base&>(make(71)).a;
}
