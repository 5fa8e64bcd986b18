__global__ void k(int *p) {
    for (int i = 0; i < 3; i++) {
        int i = 2; // ERROR
        p[i] = 0;
    }
}
