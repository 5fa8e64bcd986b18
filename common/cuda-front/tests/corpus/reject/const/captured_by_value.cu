// A capture by value is not written without mutable.
__global__ void k(int *out) {
    int n = 0;
    auto f = [n]() { n++; }; // ERROR
    f();
    out[0] = n;
}
