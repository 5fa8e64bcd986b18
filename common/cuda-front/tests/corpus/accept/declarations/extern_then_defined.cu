// A variable that is declared, then defined: on the device, in constant memory, and of the host.
// NVRTC: options -default-device
extern __device__ int counter;
extern __constant__ float weights[];
extern int verbose;
extern __device__ int counter;

__device__ int next() { return atomicAdd(&counter, 1); }

__device__ int counter = 7;
__constant__ float weights[4] = {1, 2, 3, 4};
int verbose = 1;
extern int verbose;

__global__ void k(float *out) { out[next()] = weights[threadIdx.x % 4]; }
