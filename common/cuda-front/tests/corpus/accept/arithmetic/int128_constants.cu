// Constants of 128 bits where smaller ones may stand, in a lambda without a capture among them.
enum { LOW = (__int128)5 };
__global__ void k(unsigned long long *out) {
    constexpr __int128 c = (__int128)1 << 90;
    int sizes[(__int128)4] = {LOW};
    auto f = [] { return c >> 80; };
    out[0] = (unsigned long long)f() + sizes[(c >> 90) - 1];
}
