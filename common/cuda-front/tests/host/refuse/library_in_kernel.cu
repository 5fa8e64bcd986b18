// Device code that uses a library which is not simulated: named, and no fault of the program.
#include <cub/cub.cuh>

__global__ void k(float *out) {
    using Reduce = cub::BlockReduce<float, 128>;
    __shared__ typename Reduce::TempStorage room;
    out[0] = Reduce(room).Sum(out[threadIdx.x]);
}
