#include <vector>

using Values = std::vector<float>;

float first(const Values &v) { return v[0]; }

__global__ void k(float *out) {
    Values v;
    out[0] = 1;
}
