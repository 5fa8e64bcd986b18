// A class that both sides use: its own members are known, and methods of the host may take anything.
#include <cufft.h>

#include <string>

struct Grid {
    int width, height;
    float *cells;
    __host__ __device__ int at(int x, int y) const { return y * width + x; }
    std::string name() const { return "grid"; }
    void transform(cufftHandle plan, cufftComplex *out);
};

__global__ void clear(Grid g) {
    if (threadIdx.x < g.width) g.cells[g.at(threadIdx.x, blockIdx.x)] = 0;
}
