struct Node {
    __device__ virtual int eval(int x) const = 0;
    __device__ virtual int kind() const { return 1; }
    __device__ int twice(int x) const { return eval(x) + eval(x); }
};
struct Leaf : Node {
    int v;
    __device__ Leaf(int v) : v(v) {}
    __device__ int eval(int) const override { return v; }
};
struct Var : Node {
    __device__ int eval(int x) const override { return x; }
    __device__ int kind() const override;
};
__device__ int Var::kind() const { return 2; }
struct Sum final : Node {
    const Node *a, *b;
    __device__ Sum(const Node *a, const Node *b) : a(a), b(b) {}
    __device__ int eval(int x) const override { return a->eval(x) + b->eval(x); }
};
struct Tripled : Leaf {
    using Leaf::Leaf;
    __device__ int eval(int x) const override { return 3 * Leaf::eval(x); }
};
struct Again : Tripled {
    __device__ Again() : Tripled(7) {}
};
template <class T> struct Scaled : T {
    int by;
    template <class... A> __device__ Scaled(int by, A... a) : T(a...), by(by) {}
    __device__ int eval(int x) const override { return by * T::eval(x); }
};
__device__ int of(const Node &n, int x) { return n.eval(x); }
extern "C" __global__ void k(int *o, int one) {
    Leaf five(5);
    Var x;
    Sum inner(&five, &x), sum(&inner, &x);
    Tripled tripled(4);
    Again again;
    Scaled<Leaf> scaled(2, 6);
    Scaled<Scaled<Var>> deep(3, 5);
    const Node *all[7] = {&five, &x, &sum, &tripled, &again, &scaled, &deep};
    int n = 0;
    for (int i = 0; i < 7; i++) {
        o[n++] = all[i * one]->eval(10);
        o[n++] = of(*all[i], i) + all[(i + one) % 7]->kind();
        o[n++] = all[i]->twice(i);
    }
    o[n++] = all[4 * one]->Node::kind() + tripled.Leaf::eval(1);
    o[n++] = of(tripled, 0) + of(static_cast<const Leaf &>(again), 0);
    o[n++] = static_cast<Leaf &>(again).eval(0) + ((const Node *)&scaled)->eval(one);
}
// EXPECT: 5 7 10 10 2 2 25 10 18 12 13 24 21 22 42 12 14 24 150 91 180 5 33 33
