// A function of the run-time that only the host has.
__global__ void k(float *out) {
    float *p;
    cudaMallocHost(&p, 4); // ERROR
    out[0] = 1;
}
