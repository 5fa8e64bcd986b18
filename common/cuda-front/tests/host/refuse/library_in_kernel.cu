// Device code that uses a part of a library which is not simulated: named, and no fault of the program.
#include <cub/cub.cuh>

__global__ void k(float *out) {
    using Sort = cub::BlockMergeSort<float, 128, 1>;
    __shared__ typename Sort::TempStorage room;
    Sort(room).Sort(out);
}
