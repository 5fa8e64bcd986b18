// NVRTC: accepts (it knows no host variables at all)
constexpr int steps[3] = {1, 2, 3};
__device__ constexpr int step(int i) { return steps[i]; } // ERROR
__global__ void k(int *p) {
    constexpr int first = step(0);
    p[0] = step(p[1]) + first;
}
