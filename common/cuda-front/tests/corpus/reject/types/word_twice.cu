// A type's word twice, in a cast.
__global__ void k(int *out) {
    out[0] = static_cast<short short>(out[1]); // ERROR
}
