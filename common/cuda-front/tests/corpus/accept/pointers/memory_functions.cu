// `memcpy` and its like on the device.
struct Pair {
    int a;
    float b;
};

__global__ void k(Pair *out, const int4 *in) {
    float lanes[4];
    int4 bits = in[threadIdx.x];
    memcpy(&lanes, &bits, sizeof(bits));
    Pair p;
    memset(&p, 0, sizeof p);
    p.b = lanes[0];
    memcpy(out + threadIdx.x, &p, sizeof(Pair));
}
