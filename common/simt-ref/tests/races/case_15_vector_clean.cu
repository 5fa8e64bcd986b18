// The element after a vector that another thread writes.
// launch: <<<1, 64>>>
// expect: clean
__global__ void k(float4 *v, float *out) {
    int t = threadIdx.x;
    if (t == 0) v[0] = make_float4(1, 2, 3, 4);
    if (t == 32) out[0] = ((float *)v)[4];
}
