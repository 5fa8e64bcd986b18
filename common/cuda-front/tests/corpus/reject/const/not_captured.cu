// A local that the lambda does not capture.
__global__ void k(int *out) {
    int n = 4;
    auto f = [](int x) { return x + n; }; // ERROR
    out[0] = f(1);
}
