// Explicit conversions, where they may happen.
struct Handle {
    int v;
    __device__ explicit operator bool() const { return v != 0; }
    __device__ explicit operator int() const { return v; }
};
__global__ void k(int *out) {
    Handle h{3};
    out[0] = h ? static_cast<int>(h) : 0;
    out[1] = !h || (h && true);
    bool given{h};
    out[2] = given + (int)h;
}
