__global__ void k(int *p) {
    if (int n = p[0]) {
        p[1] = n;
    } else {
        float n = 2; // ERROR
        p[2] = n;
    }
}
