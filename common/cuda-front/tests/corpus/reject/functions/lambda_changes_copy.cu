// A lambda that is never called changes its copy of a variable.
__global__ void k(int *out) {
    int count = 0;
    auto step = [=]() {
        count += 1; // ERROR
    };
    out[0] = count;
}
