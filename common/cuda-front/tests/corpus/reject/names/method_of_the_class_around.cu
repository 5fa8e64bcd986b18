// A nested class has no object of the class around it.
struct Outer {
    __device__ int size() const { return 1; }
    struct Inner {
        __device__ int twice() const { return 2 * size(); } // ERROR
    };
};
__global__ void k(int *out) { out[0] = Outer::Inner{}.twice(); }
