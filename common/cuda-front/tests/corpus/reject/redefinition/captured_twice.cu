__global__ void k(int *p) {
    int n = p[1];
    auto f = [n, n] { return n; }; // ERROR
    p[0] = f();
}
