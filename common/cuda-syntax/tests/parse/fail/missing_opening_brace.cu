__global__ void k(float *a, int n)
  int i = 0;
  a[i] = 1;
}
