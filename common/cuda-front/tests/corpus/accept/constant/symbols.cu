// Constant arrays, structs, scalars, with and without a value.
struct Params {
    float alpha, beta;
    int n;
};
__constant__ float weights[5];
__constant__ Params params;
__constant__ float scale = 2.0f;
__constant__ float box[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
__global__ void constant(float *out, const float *in) {
    int i = threadIdx.x;
    if (i >= params.n) return;
    float s = 0;
    for (int k = 0; k < 5; k++) s += weights[k] * in[i + k];
    out[i] = params.alpha * s * scale + params.beta + box[i % 3][1];
}
