__global__ void k(int *p) {
    auto a = 1, b = 2.0f; // ERROR
    p[0] = a + (int)b;
}
