// An alias with an alignment of its own.
typedef int Wide __attribute__((aligned(16)));
struct Item { char kind; Wide value; };
__global__ void k(int *out) { out[0] = sizeof(Item); }
