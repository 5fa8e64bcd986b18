// There is one size of it.
__global__ void k(int *out) {
    long __int128 x = 1; // ERROR
    *out = (int)x;
}
