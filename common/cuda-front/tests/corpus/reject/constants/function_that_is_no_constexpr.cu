__device__ int f(int n) { return n + 1; }
__global__ void k(int *p) {
    int a[f(2)]; // ERROR
    p[0] = sizeof(a);
}
