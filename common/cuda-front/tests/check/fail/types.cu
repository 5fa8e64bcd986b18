struct S { int a; };
enum class E { A };
__constant__ float c[4];
__constant__ float big[20000];
__device__ int f(int a, float *b) { return a; }
__device__ int no_value(int a) { if (a) return; return a; }
__device__ int falls(int a) { if (a) return 1; }
__global__ int bad_kernel(float &x) { return 1; }
__global__ void k(float *out, const float *in, int n) {
    float *p = in;
    in[0] = 1;
    int x = p;
    out = 3;
    S s;
    s + 1;
    x = s;
    int e = E::A;
    f(1);
    f(1, in);
    f(out, out);
    c[0] = 1;
    const int z = 1;
    z = 2;
    float fl = 1.5f;
    fl % 2;
    out[fl] = 1;
    5 = n;
    int a[n];
    __shared__ float sh[n];
    __shared__ int init = 1;
    int v[2] = {1, 2, 3};
    sinf(1, 2);
    atomicAdd(in, 1);
    n.x = 1;
    out.x = 1;
    *n = 1;
    return n;
}
