// NVRTC: line 2 (it has no such header)
#include <initializer_list>
__device__ int f(std::initializer_list<int *> l) { return l.size(); }
__global__ void k(int *o) {
    o[0] = f({1, 2}); // ERROR
}
