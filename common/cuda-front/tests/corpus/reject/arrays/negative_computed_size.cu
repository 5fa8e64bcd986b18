// A size that turns out negative.
constexpr int R = 3, TILE = 4;
__global__ void k(float *out) {
    __shared__ float s[TILE - 2 * R]; // ERROR
    out[0] = s[0];
}
