// In the form of C++.
struct [[gnu::packed]] Item { char kind; int value; };
struct [[gnu::aligned(16)]] Wide { char kind; };
__global__ void k(int *out) { out[0] = sizeof(Item) + sizeof(Wide); }
