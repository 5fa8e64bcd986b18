// CUB's primitives in kernels as programs write them: typedefs with and without `typename`, storage in unions, structs and
// arrays, functors of the file, of CUB's time before CUDA 13 and of `cuda::std`; calls of device-wide algorithms by the host.
#include <cub/cub.cuh>
#include <cub/block/block_shuffle.cuh>
struct Pair { float value; int at; };
struct Best {
    __device__ __forceinline__ Pair operator()(const Pair &a, const Pair &b) const { return a.value < b.value ? b : a; }
};
struct Prefix {
    int total;
    __device__ int operator()(int aggregate) { int before = total; total += aggregate; return before; }
};
__global__ void plain(const float *in, Pair *out, int n) {
    typedef cub::BlockReduce<Pair, 128> Reduce;
    __shared__ Reduce::TempStorage temp;
    Pair mine = {in[threadIdx.x], (int)threadIdx.x};
    Pair best = Reduce(temp).Reduce(mine, Best(), n);
    if (threadIdx.x == 0) out[0] = best;
}
template <typename T, int threads, int items> __global__ void sorted(T *data, int *histogram, int n) {
    using Load = cub::BlockLoad<T, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Store = cub::BlockStore<T, threads, items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<T, threads, items>;
    using Scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
    } shared;
    T mine[items];
    Load(shared.load).Load(data + blockIdx.x * threads * items, mine, n, T());
    __syncthreads();
    Sort(shared.sort).SortDescending(mine, 0, 8);
    __syncthreads();
    int flags[items], places[items], all;
    for (int i = 0; i < items; i++) flags[i] = mine[i] > T();
    Prefix prefix = {100};
    Scan(shared.scan).ExclusiveSum(flags, places, all);
    __syncthreads();
    Scan(shared.scan).InclusiveScan(flags, places, cuda::maximum<>{}, prefix);
    __syncthreads();
    Store(shared.store).Store(data, mine, n);
    histogram[threadIdx.x] = places[0] + all;
}
__global__ void warps(int *out, double *sums) {
    typedef cub::WarpReduce<double> Warp;
    __shared__ typename Warp::TempStorage temp[4];
    __shared__ cub::WarpScan<int, 8>::TempStorage scan[16];
    double sum = Warp(temp[threadIdx.x / 32]).Sum(1.0);
    int place;
    cub::WarpScan<int, 8>(scan[threadIdx.x / 8]).ExclusiveSum(1, place);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    out[threadIdx.x] = place + cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_RAKING>().Reduce(place, cuda::std::plus<>{});
}
template __global__ void sorted<int, 128, 4>(int *, int *, int);
template __global__ void sorted<float, 64, 3>(float *, int *, int);
int main() {
    void *temp = nullptr;
    size_t bytes = 0;
    float *in = nullptr, *out = nullptr;
    cub::DeviceReduce::Sum(temp, bytes, in, out, 100);
    cub::DeviceRadixSort::SortKeys(temp, bytes, in, out, 100);
    plain<<<1, 128>>>(in, nullptr, 100);
    warps<<<1, 128>>>(nullptr, nullptr);
}
