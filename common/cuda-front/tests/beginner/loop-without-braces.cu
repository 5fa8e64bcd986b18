__global__ void k(float *out, int n) {
    for (int i = 0; i < n; i++)
        float x = out[i];
        out[0] = x; // EXPECT undeclared-name
    if (n > 2)
        float y = out[2];
        out[0] = y; // EXPECT undeclared-name
}
