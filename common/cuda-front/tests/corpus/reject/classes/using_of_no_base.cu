// `using` names members of bases only.
struct A {
    __device__ int f() { return 1; }
};
struct B {
    using A::f; // ERROR
};
__global__ void k(int *out) {
    B b;
    out[0] = 1;
}
