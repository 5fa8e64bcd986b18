// ?: that chooses an object: assigned, incremented, bound to a reference, its address taken, a member named.
struct P {
    int a, b;
};
__device__ int &pick(int &a, int &b, bool first) { return first ? a : b; }
__global__ void choose(int *out, P *p, const int *in, int c) {
    int u = 1, v = 2;
    (c ? u : v) += 3;
    ++(c > 1 ? out[0] : out[1]);
    int &r = c > 2 ? u : v;
    r = 7;
    int *q = &(c ? u : v);
    *q += in[c ? 0 : 1];
    pick(u, v, c) = 9;
    out[2] = (c ? p[0] : p[1]).a + u + v;
    (c ? p[0] : p[1]).b = 4;
}
