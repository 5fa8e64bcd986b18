// The components of a vector through a pointer.
__global__ void components(float4 *v, int k) {
    float4 a = v[threadIdx.x];
    float *p = &a.x;
    p[k & 3] = 7.0f;
    (&a.x)[1] += 1;
    v[threadIdx.x] = a;
}
