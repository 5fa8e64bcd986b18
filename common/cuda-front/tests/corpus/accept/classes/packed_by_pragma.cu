// The same by a pragma, for all classes up to `pop`.
#pragma pack(push, 1)
struct Item { char kind; int value; };
#pragma pack(pop)
__global__ void k(int *out) { out[0] = sizeof(Item); }
