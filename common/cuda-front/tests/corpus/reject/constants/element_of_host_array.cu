// NVRTC: accepts (it knows no host variables at all)
constexpr int steps[3] = {1, 2, 3};
__global__ void k(int *p) {
    static_assert(steps[0] == 1, "a constant");
    p[0] = steps[2]; // ERROR
}
