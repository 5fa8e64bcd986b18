// The macros of <cstdint> that make constants.
#include <cstdint>

__global__ void k(uint64_t *out) {
    out[0] = UINT64_C(0xffffffffffffffff) - UINT32_C(1);
    out[1] = (uint64_t)(INT64_C(-1) + INT8_C(2));
}
