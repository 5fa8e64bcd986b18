__global__ void k(int *p) {
    if (int n) // ERROR
        p[0] = n;
}
