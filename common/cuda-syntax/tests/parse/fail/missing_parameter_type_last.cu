__global__ void k(float *a, n) {
 n = 1;
}
