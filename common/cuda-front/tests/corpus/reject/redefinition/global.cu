// The same constant twice.
__constant__ float w[5];
__constant__ float w[5]; // ERROR
__global__ void k(float *out) { out[0] = w[0]; }
