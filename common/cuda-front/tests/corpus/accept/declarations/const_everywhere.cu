// const on either side, of pointers and of pointees.
__global__ void consts(float *out, const float *a, float const *b, float *const c, const float *const d) {
    const int i = threadIdx.x;
    int const j = i + 1;
    c[i] = 0.0f;
    a += 1;
    b++;
    out[j] = a[i] + b[i] + c[i] + d[i];
}
