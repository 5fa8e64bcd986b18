__global__ void k(float *a, int n)
 a[0] = n;
