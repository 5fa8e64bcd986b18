// Parameters written as arrays, pointers with every qualifier, C-style casts of addresses, offsets in bytes.
__device__ float mean(const float v[], int n) {
    float s = 0;
    for (int i = 0; i < n; ++i) s += v[i];
    return s / n;
}
__device__ float corner(const float m[4][4]) { return m[3][3]; }
__global__ void arrays(float *__restrict__ out, const float *const __restrict__ in, size_t pitch, int n) {
    const float *row = (const float *)((const char *)in + blockIdx.x * pitch);
    float m[4][4] = {{1}};
    const int4 v = *(const int4 *)row;
    *(float2 *)&out[2] = *(const float2 *)&row[0];
    out[0] = mean(row, n) + corner(m) + v.x;
    *(out + 1) = *(row + n - 1);
    (&out[4])[1] = ((float *)m)[5];
}
