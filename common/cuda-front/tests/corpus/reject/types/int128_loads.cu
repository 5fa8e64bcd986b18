// The loads with a cache hint do not take it.
__global__ void k(const __int128 *in, __int128 *out) {
    *out = __ldg(in); // ERROR
}
