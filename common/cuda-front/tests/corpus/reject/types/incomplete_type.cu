// A struct that is only declared.
struct Later;
__global__ void k(int *out) {
    Later l; // ERROR
    out[0] = 1;
}
