// A constructor that only the class itself may use.
class Counter {
    int n;
    __device__ Counter(int n) : n(n) {}

public:
    __device__ static Counter zero() { return Counter(0); }
    __device__ int get() const { return n; }
};
__global__ void k(int *out) {
    out[0] = Counter::zero().get();
    Counter c(4); // ERROR
    out[1] = c.get();
}
