// Members without padding.
struct __attribute__((packed)) Item { char kind; int value; };
__global__ void k(int *out) { out[0] = sizeof(Item); }
