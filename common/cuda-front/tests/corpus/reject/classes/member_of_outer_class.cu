// A nested class has no object of the class around it.
struct Outer {
  int count;
  struct Inner {
    __device__ int get() const {
      return count; // ERROR
    }
  };
};
__device__ int count = 2;
__global__ void k(int *out) { out[0] = Outer::Inner{}.get() + count; }
