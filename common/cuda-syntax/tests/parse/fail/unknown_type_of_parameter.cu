__global__ void k(flaot *a, int n) {
 a[0] = n;
}
