struct P { float x; }
__global__ void k(float *a, int n) {
 P p; p.x = 1;
}
__device__ int after(int x) { return x; }
