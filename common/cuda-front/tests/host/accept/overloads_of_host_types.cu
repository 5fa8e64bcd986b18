// Host functions that differ only in types of which nothing is known.
#include <vector>
struct Table;
bool same(int n, const std::vector<int> &a);
bool same(int n, const std::vector<int> &a) { return n > 0; }
bool same(int n, const std::vector<float> &a) { return n > 1; }
bool same(int n, std::vector<float> *a) { return n > 1; }
__global__ void k(int *p) { *p = 1; }
