// One member without padding before it.
struct Item { char kind; int value __attribute__((packed)); };
__global__ void k(int *out) { out[0] = sizeof(Item); }
