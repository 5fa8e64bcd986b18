// Range-for over a pointer.
__global__ void k(int *out) {
    int s = 0;
    for (int x : out) s += x; // ERROR
    out[0] = s;
}
