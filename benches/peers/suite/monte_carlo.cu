// Random points of a square that lie in a quarter of a circle, counted per thread; xorshift with 32 bits.

__global__ void monte_carlo_for(const unsigned int *seeds, int *hits, int points) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int state = seeds[i];
    int count = 0;
    for (int p = 0; p < points; p++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        unsigned int x = state & 0x7fff;
        unsigned int y = (state >> 16) & 0x7fff;
        if (x * x + y * y < 0x40000000u) {
            count++;
        }
    }
    hits[i] = count;
}

__device__ unsigned int xorshift(unsigned int state) {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ (state << 5);
}

__global__ void monte_carlo_function(const unsigned int *seeds, int *hits, int points) {
    const int thread = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned int random = seeds[thread];
    int count = 0;
    while (points-- > 0) {
        random = xorshift(random);
        const int x = random & 0x7fff;
        const int y = random >> 16 & 0x7fff;
        count += x * x + y * y < 0x40000000 ? 1 : 0;
    }
    hits[thread] = count;
}
