// A stream of the host.
__global__ void k(float *out) {
    std::cout << out[0]; // ERROR
}
