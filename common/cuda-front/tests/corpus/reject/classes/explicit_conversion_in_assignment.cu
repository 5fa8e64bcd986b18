// An explicit conversion function takes a cast.
struct Meters {
    float v;
    __device__ explicit operator float() const { return v; }
};
__global__ void k(float *out) {
    Meters m{2.0f};
    out[0] = static_cast<float>(m);
    out[1] = m; // ERROR
}
