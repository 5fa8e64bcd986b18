// A member is not shared.
struct S {
    __shared__ int a; // ERROR
};
__global__ void k(int *out) { out[0] = 1; }
