// An X-macro generates cases and functions.
#define OPS(X) X(add, +) X(sub, -) X(mul, *)
#define DEFINE(name, op) __device__ int do_##name(int a, int b) { return a op b; }
OPS(DEFINE)
#undef DEFINE
enum Op {
#define ENTRY(name, op) OP_##name,
    OPS(ENTRY)
#undef ENTRY
    OP_count
};
__global__ void apply(int *out, int op, int a, int b) {
    switch (op) {
#define CASE(name, o) case OP_##name: out[0] = do_##name(a, b); break;
        OPS(CASE)
#undef CASE
    }
    out[1] = OP_count;
}
