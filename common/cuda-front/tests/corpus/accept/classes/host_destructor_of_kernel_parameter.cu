// The host destroys what it launches a kernel with, so the destructor may be the host's.
struct Lock {
    int *mutex;
    Lock() { cudaMalloc((void **)&mutex, sizeof(int)); }
    ~Lock() { cudaFree(mutex); }
    __device__ void lock() { while (atomicCAS(mutex, 0, 1) != 0) {} }
};
__global__ void by_value(Lock lock, int *out) { lock.lock(); out[0] = 1; }
template <typename T> __global__ void of_template(T lock, int *out) { lock.lock(); out[0] = 2; }
template __global__ void of_template<Lock>(Lock, int *);
// NVRTC: line 4 (host functions)
