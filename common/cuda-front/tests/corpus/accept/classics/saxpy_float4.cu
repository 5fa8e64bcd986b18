// y = a x + y by vectors of four, and the rest one by one.
__global__ void saxpy4(int n, float a, const float4 *__restrict__ x, float4 *__restrict__ y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        float4 u = x[i], v = y[i];
        v.x = fmaf(a, u.x, v.x);
        v.y = fmaf(a, u.y, v.y);
        v.z = fmaf(a, u.z, v.z);
        v.w = fmaf(a, u.w, v.w);
        y[i] = v;
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) {
        int i = n / 4 * 4 + threadIdx.x;
        ((float *)y)[i] += a * ((const float *)x)[i];
    }
}
