struct P { Foo x; int y; };
__global__ void k(float *a, int n) {
 P p; a[0] = p.y;
}
__device__ int after(int x) { return x; }
