// An explicit conversion to bool is for conditions.
struct Flag {
    int v;
    __device__ explicit operator bool() const { return v != 0; }
};
__global__ void k(int *out) {
    Flag f{1};
    if (f) out[0] = 1;
    out[1] = f + 1; // ERROR
}
