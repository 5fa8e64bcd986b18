#include <cstdio>
#include <vector>
__global__ void k(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = n; }
int main() {
    int *p; cudaMalloc(&p, 64);
    k<<<1, 16, 0, 0>>>(p, "text");
    std::vector<int> v(3, 4);
    for (auto &x : v) printf("%d }", x);
    k<<<dim3(1, 2, 3), 32>>>(p);
}
