// The attribute behind the body.
typedef struct { char kind; int value; } __attribute__((packed)) Item;
__global__ void k(int *out) { out[0] = sizeof(Item); }
