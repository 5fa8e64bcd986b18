// What is diagnosed in functions that are called.

__device__ int second(int n);

__device__ int first(int n) {
    return second(n + 1) + n;
}

__device__ int second(int n) {
    return first(n + 1) - n;
}

__global__ void endless(int *out) {
    out[threadIdx.x] = first(threadIdx.x);
}

__device__ int sum_to(int n) {
    if (n == 0) return 0;
    return sum_to(n - 1) + n;
}

__global__ void deep(int *out, int n) {
    out[threadIdx.x] = sum_to(n);
}

__device__ int twice(int n) {
    return n == 0 ? 1 : twice(n - 1) + twice(n - 1);
}

__global__ void exponential(int *out) {
    out[threadIdx.x] = twice(30);
}

__device__ int outside(int n) {
    int small[4] = {1, 2, 3, 4};
    int below = n > 4 ? 0 : outside(n + 1);
    return below + small[n];
}

__global__ void bounds(int *out) {
    out[threadIdx.x] = outside(2);
}

__device__ int unwritten(int n) {
    int mine[4];
    if (n > 0) mine[n & 3] = n;
    int below = n > 0 ? unwritten(n - 1) : 0;
    return below + mine[n & 3];
}

__global__ void never_written(int *out) {
    out[threadIdx.x] = unwritten(3);
}

__device__ int racing(int *shared, int n) {
    if (n == 0) {
        shared[threadIdx.x] = n;
        return shared[31 - threadIdx.x];
    }
    return racing(shared, n - 1);
}

__global__ void race(int *out) {
    __shared__ int values[64];
    values[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < 32) out[threadIdx.x] = racing(values, 2);
}

__device__ int waiting(int n) {
    if (n == 0) return 0;
    __syncthreads();
    return waiting(n - 1) + 1;
}

__global__ void barrier(int *out) {
    out[threadIdx.x] = waiting(threadIdx.x % 3);
}

__device__ int *leaked(int n) {
    int mine[2] = {n, n};
    if (n == 0) return &mine[n & 1];
    return leaked(n - 1);
}

__global__ void dangling(int *out) {
    int *kept = leaked(3);
    out[threadIdx.x] = *kept;
}

__device__ int divided(int n) {
    return 100 / n + divided(n - 1);
}

__global__ void quotient(int *out) {
    out[threadIdx.x] = divided(5);
}
