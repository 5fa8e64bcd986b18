__global__ void k(a, int n) {
 n = 1;
}
