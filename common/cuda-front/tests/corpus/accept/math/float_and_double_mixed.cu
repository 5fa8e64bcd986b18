// The overloads that take a `float` and a `double` compute in `double`.
__global__ void k(float *out, float x) {
    out[0] = min(max(x, 0.0), 1.0);
    out[1] = min(0.5, x);
}
