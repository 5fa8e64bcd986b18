// A container of the host.
__global__ void k(float *out, std::vector<float> v) { // ERROR
    out[0] = v[0];
}
