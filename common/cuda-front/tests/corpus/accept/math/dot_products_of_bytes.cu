// Dot products of four bytes, and funnel shifts that clamp.
__global__ void bytes(int *o, unsigned *u, int a, int b) {
    o[0] = __dp4a(a, b, o[1]);
    u[0] = __dp4a((unsigned)a, (unsigned)b, u[1]);
    u[2] = __funnelshift_lc(u[0], u[1], 40) + __funnelshift_rc(u[0], u[1], 40);
}
