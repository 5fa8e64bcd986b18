// Results through pointers and references; a struct as the result.
struct MinMax {
    float lo, hi;
};
__device__ void sort2(float *a, float *b) {
    if (*a > *b) {
        float t = *a;
        *a = *b;
        *b = t;
    }
}
__device__ void split(float x, int &whole, float &rest) {
    whole = (int)x;
    rest = x - whole;
}
__device__ MinMax range(const float *p, int n) {
    MinMax r = {p[0], p[0]};
    for (int i = 1; i < n; i++) {
        r.lo = fminf(r.lo, p[i]);
        r.hi = fmaxf(r.hi, p[i]);
    }
    return r;
}
__global__ void results(float *out, float *in, int n) {
    int w;
    float r;
    split(in[0], w, r);
    sort2(&in[0], &in[1]);
    MinMax m = range(in, n);
    out[0] = w + r + m.hi - m.lo + range(in, 1).lo;
}
