// The same kernel twice.
__global__ void k(int *out) { out[0] = 1; }
__global__ void k(int *out) { out[0] = 2; } // ERROR
