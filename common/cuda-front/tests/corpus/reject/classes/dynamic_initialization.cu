struct Counter { int count; __host__ __device__ Counter() : count(0) {} };
__device__ Counter counter; // ERROR
__global__ void k(int *out) { out[0] = counter.count; }
