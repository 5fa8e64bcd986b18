// Structured bindings of a struct and of an array.
struct P {
    int a;
    float b;
};
__device__ P make() { return {3, 4.0f}; }
__global__ void bind(float *out) {
    auto [a, b] = make();
    int pair[2] = {1, 2};
    auto &[x, y] = pair;
    x = 5;
    out[0] = a + b + pair[0] + y;
}
