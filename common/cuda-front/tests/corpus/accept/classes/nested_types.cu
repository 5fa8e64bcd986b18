// Structs within structs, within functions, anonymous structs and unions.
struct Outer {
    struct Inner {
        int a;
    } inner;
    enum Kind { Leaf, Branch } kind;
    struct {
        int u, v;
    } uv;
    __device__ Inner make(int) const;
};
__device__ Outer::Inner Outer::make(int k) const { return Inner{inner.a + k}; }
__global__ void nested(int *out) {
    struct Local {
        int x;
        __device__ int twice() const { return 2 * x; }
    };
    Local l{4};
    Outer o;
    o.inner.a = 1;
    o.kind = Outer::Branch;
    o.uv.u = o.uv.v = 3;
    Outer::Inner i = o.make(2);
    out[0] = l.twice() + i.a + o.kind + o.uv.u;
}
