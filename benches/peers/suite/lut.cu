// Bytes replaced by those of a table.

__global__ void lut_global(const unsigned char *in, const unsigned char *table, unsigned char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = table[in[i]];
    }
}

// Four bytes that follow one another per thread.
__global__ void lut_four(const unsigned char *in, const unsigned char *table, unsigned char *out, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int i = first; i < first + 4 && i < n; i++) {
        const unsigned char value = in[i];
        out[i] = table[value];
    }
}
