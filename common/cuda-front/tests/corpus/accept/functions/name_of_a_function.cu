// The name of the function around, and formats of the sized integers.
// NVRTC: options -default-device
#include <cinttypes>
#include <cstdio>
template <class T> __device__ const char *own(T) { return __func__; }

__global__ void k(uint64_t v, int64_t w, int *out) {
    auto inner = [] { return __FUNCTION__; };
    printf("%s %s %s\n", __func__, own(1), inner());
    printf("%" PRIu64 " %" PRId64 " %" PRIx32 "\n", v, w, 3u);
    out[0] = sizeof(__func__);
}
