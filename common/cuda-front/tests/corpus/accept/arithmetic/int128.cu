// Integers of 128 bits.
typedef unsigned __int128 u128;
__device__ u128 product(unsigned long long a, unsigned long long b) { return u128(a) * b; }

__global__ void k(unsigned long long *out) {
    u128 p = product(out[0], out[1]);
    __int128_t q = -(__int128)p;
    out[2] = (unsigned long long)(p >> 64) + (unsigned long long)q;
}
