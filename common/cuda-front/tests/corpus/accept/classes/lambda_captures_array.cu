// An array captured by value is copied.
__global__ void k(int *out, int i) {
    int weights[3] = {1, 2, 3};
    auto at = [weights](int j) { return weights[j]; };
    weights[1] = 9;
    auto all = [=]() mutable { return weights[i] += 1; };
    out[0] = at(1) + all();
}
