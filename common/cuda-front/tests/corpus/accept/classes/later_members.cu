// Bodies of methods see the members after them, whose names hide outer ones. A type's name before `(` or `:` is no member.
struct Vec {
    int x;
    __device__ Vec(int a) : x(a) {}
};
struct Mat {
    int x;
    __device__ Mat(int a) : x(a) {}
};
enum Flags { on = 1 };
template <class T> struct Own {
    T v;
    template <class U> __device__ Own(U u) : v(u) {}
    __device__ Own(const Own &o) : v(o.v) {}
    __device__ T f() {
        Own o(3);
        Own<T> q(o);
        return o.v + q.v;
    }
};
struct Pointers {
    __device__ int f() {
        Vec v(3);
        return v.x;
    }
    Vec (*op)(Vec);
};
struct Bases : Vec, Mat {
    __device__ int f() {
        Mat m(2);
        Vec v(1);
        return m.x + v.x;
    }
    __device__ Bases() : Vec(1), Mat(2) {}
    __device__ Bases(int a) : Vec{a}, Mat{a} {}
};
struct Hidden {
    __device__ int f() { return Vec(3) + Kind() + Flags; }
    __device__ int Vec(int x) { return x; }
    typedef int Kind;
    int Flags;
    __device__ operator ::Vec() const { return ::Vec(3); }
};
struct Types {
    __device__ int f() {
        Later l = 2;
        Again a = l;
        More<int> m = a;
        Vec v;
        v.y = 4;
        return m + v.y + g<3>();
    }
    using Later = int;
    typedef unsigned Again;
    template <class T> using More = T;
    struct Vec { int y; };
    template <int N> __device__ int g() { return N; }
};
struct Bits {
    __device__ int f() {
        Flags g = on;
        return g;
    }
    Flags : 3;
    Flags a : 2, b : 3;
};
struct Labels {
    __device__ int f() {
        Vec v(1);
        return v.x + n;
    }
    int n;

private:
    int m;

public:
    __device__ Labels(Vec v) : n(v.x), m(2) {}
    __device__ auto g(Vec v) -> Vec { return v; }
};
__global__ void k(int *out) {
    Own<int> o(2);
    Bases b, c(2);
    Hidden h{3};
    Types t;
    Bits i{};
    out[0] = o.f() + b.f() + c.f() + h.f() + t.f() + i.f() + Labels(Vec(3)).f();
}
