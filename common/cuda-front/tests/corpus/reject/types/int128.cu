// An integer of 128 bits is no pair of two.
__global__ void k(__int128 *out) {
    *out = make_ulonglong2(1, 2); // ERROR
}
