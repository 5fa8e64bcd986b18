// A lambda that is never called, whose results have two types.
__global__ void k(float *out) {
    auto pick = [](int x) {
        if (x > 0) return 1;
        return 2.0f; // ERROR
    };
    out[0] = 1;
}
