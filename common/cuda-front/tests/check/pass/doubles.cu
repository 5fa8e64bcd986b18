// A literal that makes the arithmetic double is meant where the result goes to a double.
__device__ double half_of(float x) { return 0.5 * x; }
__device__ double twice(double x) { return x * 2.0; }
__global__ void sums(double *out, const float *in, float scale) {
    int i = threadIdx.x;
    double square = -1.5 * in[i] + scale / 3.0;
    double picked = i > 0 ? in[i] * 2.5 : 0.25;
    out[i] = square + picked + twice(in[i] - 0.125) + half_of(in[i]);
    out[i] += 0.5 * in[i];
    out[i] = (1.0 + in[i]) * (in[i] - 1.0);
}
