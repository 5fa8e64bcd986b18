// ++ before and after, conversions to numbers, assignment operators.
struct Index {
    int i;
    __device__ Index(int k) : i(k) {}
    __device__ operator int() const { return i; }
    __device__ Index &operator++() {
        ++i;
        return *this;
    }
    __device__ Index operator++(int) {
        Index old = *this;
        ++i;
        return old;
    }
    __device__ Index &operator=(int k) {
        i = k;
        return *this;
    }
    __device__ int operator()(int a, int b) const { return a * i + b; }
};
__global__ void ops(int *out) {
    Index k = 3;
    out[k++] = 1;
    out[++k] = 2;
    k = 0;
    out[k] = k(2, 3) + k;
}
