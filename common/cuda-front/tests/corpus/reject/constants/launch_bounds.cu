// Launch bounds are constants.
__device__ int threads;
__global__ void __launch_bounds__(threads) k(int *out) { // ERROR
    out[0] = 1;
}
