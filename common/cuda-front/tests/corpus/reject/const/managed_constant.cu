// Host and device both write managed memory; constant memory is read-only.
__managed__ __constant__ int both; // ERROR
__global__ void k(int *out) { out[0] = 1; }
