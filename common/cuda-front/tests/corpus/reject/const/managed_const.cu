// A managed variable may change.
__managed__ const int fixed = 1; // ERROR
__global__ void k(int *out) { out[0] = 1; }
