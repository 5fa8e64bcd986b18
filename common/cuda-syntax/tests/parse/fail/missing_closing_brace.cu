__global__ void k(float *a, int n) {
  for (int i = 0; i < n; i++) {
    a[i] = 1;
}

__global__ void k2(float *a) {
  a[0] = 1;
}
