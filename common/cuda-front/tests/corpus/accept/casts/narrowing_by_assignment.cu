// Conversions without a cast.
__device__ char narrow(int x) { return x; }
__device__ bool truth(float x) { return x; }
__global__ void conversions(unsigned char *bytes, short *s, float *f, int i, double d, long long l) {
    bytes[0] = i;
    s[0] = d;
    f[0] = l;
    f[1] = d;
    int from_float = f[0];
    i = l;
    i *= 1.5f;
    i += d;
    bytes[1] = narrow(i) + truth(f[1]) + from_float;
}
