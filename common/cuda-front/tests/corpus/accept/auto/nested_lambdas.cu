// Lambdas within lambdas, by value and by reference, shared arrays seen by both.
__global__ void nested(float *out, int n) {
    __shared__ float s[32];
    float total = 0;
    const int k = 3;
    auto outer = [&](int i) {
        auto inner = [=](int j) { return i * j + n + k; };
        auto store = [&](float v) {
            s[i] = v;
            total += v;
        };
        store(inner(2));
        return inner(1);
    };
    out[0] = outer(4) + total;
    __syncthreads();
    out[1] = s[4];
}
