// A lambda whose parameter is auto.
// NVRTC: options -default-device
__global__ void generic(float *out) {
    auto twice = [](auto x) { return x + x; };
    out[0] = twice(2) + twice(1.5f);
}
