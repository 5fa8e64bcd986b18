__global__ void k(int *p) {
    int a[2] = {1, 2};
    for (int x : a) {
        int x = 2; // ERROR
        p[0] = x;
    }
}
