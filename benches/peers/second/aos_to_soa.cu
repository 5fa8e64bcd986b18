// An array of structures of 20 bytes to arrays of its members, and the colour to four planes.

struct Sample {
    int id;
    float x;
    float y;
    int kind;
    unsigned char colour[4];
};

__global__ void aos_to_soa_members(const Sample *in, int *id, float *x, float *y, int *kind,
                           unsigned char *colour, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        id[i] = in[i].id;
        x[i] = in[i].x;
        y[i] = in[i].y;
        kind[i] = in[i].kind;
        for (int k = 0; k < 4; k++) {
            colour[k * n + i] = in[i].colour[k];
        }
    }
}

// A copy of the structure; two samples per thread, half of an array apart.
__global__ void aos_to_soa_copy(const Sample *in, int *id, float *x, float *y, int *kind,
                        unsigned char *colour, int n) {
    const int middle = (n + 1) / 2;
    const int t = threadIdx.x + blockIdx.x * blockDim.x;
    if (t >= middle)
        return;
    for (int i = t; i < n; i += middle) {
        const Sample sample = in[i];
        id[i] = sample.id;
        x[i] = sample.x;
        y[i] = sample.y;
        kind[i] = sample.kind;
        unsigned char *plane = colour + i;
        *plane = sample.colour[0];
        plane += n;
        *plane = sample.colour[1];
        plane += n;
        *plane = sample.colour[2];
        plane += n;
        *plane = sample.colour[3];
    }
}
