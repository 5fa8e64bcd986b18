// A header that does not exist.
#include "no_such_header_here.h" // ERROR
__global__ void k(int *out) { out[0] = 1; }
