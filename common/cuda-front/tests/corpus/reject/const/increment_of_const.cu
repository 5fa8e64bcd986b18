// ++ of a constant.
constexpr int N = 4;
__global__ void k(int *out) {
    out[0] = N++; // ERROR
}
