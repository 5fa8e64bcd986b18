// Nor in an element of an aggregate.
struct T { int v; __device__ explicit T(int v) : v(v) {} };
struct U { T a, b; };
__global__ void k(int *o) {
    U u = {T{1}, {2}}; // ERROR
    o[0] = u.a.v + u.b.v;
}
