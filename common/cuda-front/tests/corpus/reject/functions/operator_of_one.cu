// A division of one operand.
struct Pair {
    int a;
};
__device__ Pair operator/(Pair p) { return p; } // ERROR
__global__ void k(int *out) { out[0] = Pair{1}.a; }
