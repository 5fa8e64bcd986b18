// A class with private members is no aggregate.
class Pair {
    int a, b;

public:
    __device__ int sum() const { return a + b; }
};
__global__ void k(int *out) {
    Pair p = {1, 2}; // ERROR
    out[0] = p.sum();
}
