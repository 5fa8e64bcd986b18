// References as parameters, locals and results; const references to temporaries.
__device__ void swap(int &a, int &b) {
    int t = a;
    a = b;
    b = t;
}
__device__ int &at(int *p, int i) { return p[i]; }
__device__ int twice(const int &x) { return 2 * x; }
__global__ void refs(int *out) {
    int x = 1, y = 2;
    swap(x, y);
    swap(out[0], out[1]);
    at(out, 2) = x;
    at(out, 3) += twice(y + 1);
    const int &limit = 10;
    int &alias = out[4];
    alias = limit;
}
