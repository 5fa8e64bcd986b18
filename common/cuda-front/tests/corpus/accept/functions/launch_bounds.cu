// Launch bounds with one, two arguments, from constants; __maxnreg__.
#define THREADS 256
constexpr int BLOCKS = 4;
__global__ void __launch_bounds__(THREADS) one(float *x) { x[threadIdx.x] = 1; }
__global__ __launch_bounds__(THREADS, BLOCKS) void two(float *x) { x[threadIdx.x] = 2; }
__launch_bounds__(128) __global__ void three(float *x) { x[threadIdx.x] = 3; }
__global__ void __maxnreg__(64) four(float *x) { x[threadIdx.x] = 4; }
