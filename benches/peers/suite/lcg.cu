// Streams of random numbers of a linear congruential generator of 64 bits; number k of all threads side by side.

__global__ void lcg_index(const unsigned int *seeds, unsigned int *out, int n, int each) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long state = seeds[i];
    for (int k = 0; k < each; k++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        out[k * n + i] = (unsigned int)(state >> 32);
    }
}

__global__ void lcg_pointer(const unsigned int *seeds, unsigned int *out, int n, int each) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long a = 6364136223846793005ull;
    const unsigned long long c = 1442695040888963407ull;
    unsigned long long state = a * seeds[i] + c;
    unsigned int *to = out + i;
    unsigned int *end = to + each * n;
    do {
        *to = state >> 32;
        to += n;
        state = a * state + c;
    } while (to != end);
}
