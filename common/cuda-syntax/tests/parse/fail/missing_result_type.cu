__global__ k(float *a) {
 a[0] = 1;
}
