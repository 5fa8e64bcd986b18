// A constant of a kernel that is the address of the host's table: its values may be taken, but not where it is.
// NVRTC: accepts (it knows no host variables at all)
constexpr int table[] = {5, 6, 7};
__global__ void k(int *out) {
    constexpr const int *second = table + 1; // ERROR
    out[0] = *second;
}
