// ?: with mixed arithmetic types, nested, as an lvalue and with pointers.
__global__ void choose(float *out, int a, float b, float *p) {
    float x = a > 0 ? a : b;
    int sign = a > 0 ? 1 : a < 0 ? -1 : 0;
    float u = 0, v = 0;
    (a ? u : v) = 3.0f;
    const float *q = a ? p : nullptr;
    out[0] = x + sign + u + v + (q ? q[0] : 0.0f);
}
