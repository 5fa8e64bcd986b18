__global__ void dot(float *out, const float *a, const float *b, int n) {
    int sum = 0, other = 0;
    for (int j = 0; j < n; j++) {
        sum += a[j] * b[j]; // EXPECT fraction-lost
        other = other + a[j]; // EXPECT fraction-lost
    }
    out[0] = sum + other;
}
