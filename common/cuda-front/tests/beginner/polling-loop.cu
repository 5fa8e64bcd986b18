// Loops that wait, or work in their conditions: nothing to tell of, but of the last ones.
#include <cuda/atomic>
__device__ bool ready(const int *flags, int i) { return flags[i] != 0; }
__global__ void wait(volatile int *flag, int *count, const int *plain, cuda::atomic<int> *state, int *out, int n) {
    int i = 0;
    while (*flag == 0) ; out[0] = 1;
    while (*flag == 0);
        out[1] = 1;
    while (atomicAdd(count, 0) < n);
    {
        out[2] = 1;
    }
    while (*(volatile int *)count < n) ; __threadfence();
    while (state->load(cuda::memory_order_acquire) != 2) ;
    { out[3] = 1; }
    while (*state != 2);
        out[3] = 2;
    while (!ready(plain, i++));
        out[4] = 1;
    for (; *flag < n;);
        out[5] = 1;
    for (i = 0; plain[i] != 0; i++) ; out[6] = i;
    while (plain[0] < n)
        ;
    { out[7] = 1; }
    while (plain[0] < n) /* waits */;
        out[8] = 1;
    while (plain[0] < n); // EXPECT empty-body
        out[9] = 1;
    for (i = 0; i < n; i++); // EXPECT empty-body
    {
        out[i] = 0;
    }
}
