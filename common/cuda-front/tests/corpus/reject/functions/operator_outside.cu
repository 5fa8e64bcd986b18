// An operator that only a class can have.
struct Row {
    float v[4];
};
__device__ float operator[](Row r, int i) { return r.v[i]; } // ERROR
__global__ void k(float *out) { out[0] = Row{}.v[0]; }
