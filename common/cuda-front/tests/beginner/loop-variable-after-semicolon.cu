__global__ void fill(int *out, int n) {
    for (int j = 0; j < n; j++); { // EXPECT empty-body
        out[j] = j; // EXPECT undeclared-name
    }
}
__global__ void without_block(int *out, int n) {
    for (int m = 0; m < n; m++); out[m] = m; // EXPECT undeclared-name
}
