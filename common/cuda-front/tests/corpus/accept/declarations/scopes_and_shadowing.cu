// An inner name hides an outer one; a for's name ends with the loop.
__device__ const int n = 100;
__global__ void shadow(int *out, int k) {
    int n = k;
    for (int n = 0; n < 3; n++) out[n] = n;
    {
        int n = 7;
        out[3] = n;
    }
    if (int m = n * 2) out[4] = m;
    out[5] = n + ::n;
}
