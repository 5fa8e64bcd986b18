// EXPECT: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 3 7 23
// Objects are made where they stay: a constructor may keep their address.
struct Own { Own *me; int v; __device__ Own() : me(this) {} __device__ Own(int x) : me(this), v(x) {} };
struct Der : Own { int z; };
struct Has { Own o; int y; };
struct Has2 { Own o{3}; int y = 2; };
struct Dtor { Dtor *me; int *c; __device__ Dtor(int *c) : me(this), c(c) {} __device__ ~Dtor() { *c += me == this; } };
__device__ Own make() { return Own(4); }
__device__ Own make2() { Own o(5); return o; }
__device__ bool param(Own o) { return true; }
template <class T> __device__ bool ok() { T t; return t.me == &t; }
__global__ void k(int *p) {
    int n = 0;
    Own o; p[n++] = o.me == &o;
    Own o2 = Own(); p[n++] = o2.me == &o2;
    Own o3(3); p[n++] = o3.me == &o3;
    Own o4{3}; p[n++] = o4.me == &o4;
    Own o5 = 3; p[n++] = o5.me == &o5;
    Own o6 = {}; p[n++] = o6.me == &o6;
    Own a[2]; p[n++] = a[1].me == &a[1];
    Own b[2] = { 1, 2 }; p[n++] = b[1].me == &b[1];
    Own b2[2] = { Own(1), Own() }; p[n++] = b2[1].me == &b2[1];
    Der d; p[n++] = d.me == &d;
    Has h; p[n++] = h.o.me == &h.o;
    Has2 h2; p[n++] = h2.o.me == &h2.o;
    Has h3{}; p[n++] = h3.o.me == &h3.o;
    Has h4 = { Own(3), 2 }; p[n++] = h4.o.me == &h4.o;
    Has2 h5{}; p[n++] = h5.o.me == &h5.o;
    p[n++] = ok<Own>();
    const Own &r = Own(3); p[n++] = r.me == &r;
    Own *nw = new Own(2); p[n++] = nw->me == nw; delete nw;
    Has *nh = new Has; p[n++] = nh->o.me == &nh->o; delete nh;
    { int c = 0; { Dtor t(&c); } p[n++] = c; { Dtor t = Dtor(&c); } p[n++] = c; { Dtor t[1] = { &c }; } p[n++] = c; }
    static_assert(sizeof(Own) == 16, "");
    auto lam = [o = Own(2)]() { return o.me == &o; }; p[n++] = 7 + lam() * 0;
    p[n++] = n;
}
