struct P { flaot x; int y; };
__global__ void k(float *a, int n) {
 P p; a[0] = p.x;
}
__device__ int after(int x) { return x; }
