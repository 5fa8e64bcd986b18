// Constants at namespace scope in each spelling that device code may read.
const int A = 1;
static const int B = 2;
constexpr float C = 3.0f;
static constexpr int D = A + B;
inline constexpr int E = 5;
__global__ void constants(float *out) {
    constexpr int F = D * 2;
    static constexpr int G[2] = {1, 2};
    out[0] = A + B + C + D + E + F + G[1];
}
