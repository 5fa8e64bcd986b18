// The class is the host's: what is in it is said where device code uses it.
#include <vector>

struct Batch {
    std::vector<float> values;
    int count;
};

int total(const Batch &b) { return b.count; }

__global__ void k(Batch b, int *out) { *out = b.count; }
