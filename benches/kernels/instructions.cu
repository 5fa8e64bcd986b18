// One kernel a class of instruction, 16 of them a round. What a kernel computes is only there so that nothing of it can be
// left out. Blocks have 256 threads.

#define ROUND 16
#define THREADS 256
#define ALL 0xffffffffu

#define HERE (blockIdx.x * THREADS + threadIdx.x)

// Arithmetic on values that differ between lanes in no known way: they come from memory.

__global__ void integer(const int *__restrict__ link, int *__restrict__ sums, int n) {
    int x = link[threadIdx.x];
    int y = link[threadIdx.x + 1];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND / 4; k++) {
            x = x * y;
            y = y ^ x;
            x = x + y;
            y = y >> 1;
        }
    }
    sums[HERE] = x + y;
}

__global__ void integer_wide(const int *__restrict__ link, int *__restrict__ sums, int n) {
    long long x = link[threadIdx.x];
    long long y = link[threadIdx.x + 1];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND / 4; k++) {
            x = x * y;
            y = y ^ x;
            x = x + y;
            y = y >> 1;
        }
    }
    sums[HERE] = (int)(x + y);
}

__global__ void fused(const float *__restrict__ in, float *__restrict__ out, int n) {
    const float x = in[threadIdx.x];
    const float y = in[threadIdx.x + 1];
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            sum = sum * x + y;
        }
    }
    out[HERE] = sum;
}

__global__ void special(const float *__restrict__ in, float *__restrict__ out, int n) {
    float x = in[threadIdx.x];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND / 4; k++) {
            x = sinf(x);
            x = expf(x);
            x = sqrtf(x);
            x = 1.0f / x;
        }
    }
    out[HERE] = x;
}

__global__ void doubles(const float *__restrict__ in, float *__restrict__ out, int n) {
    const double x = in[threadIdx.x];
    const double y = in[threadIdx.x + 1];
    double sum = 0.0;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            sum = sum * x + y;
        }
    }
    out[HERE] = (float)sum;
}

__global__ void select(const float *__restrict__ in, float *__restrict__ out, int n) {
    float x = in[threadIdx.x];
    float y = in[threadIdx.x + 1];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND / 4; k++) {
            const bool less = x < y;
            const float larger = less ? y : x;
            x = less ? x : y;
            y = larger * x;
        }
    }
    out[HERE] = x + y;
}

__global__ void convert(const float *__restrict__ in, float *__restrict__ out, int n) {
    float x = in[threadIdx.x];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND / 4; k++) {
            const int whole = (int)x;
            const double wide = (double)whole;
            const unsigned char narrow = (unsigned char)(int)wide;
            x = (float)narrow;
        }
    }
    out[HERE] = x;
}

// The same in the whole warp.
__global__ void uniform(const int *__restrict__ link, int *__restrict__ sums, int n) {
    int x = link[blockIdx.x];
    int y = link[blockIdx.x + 1];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND / 4; k++) {
            x = x * y;
            y = y ^ x;
            x = x + y;
            y = y >> 1;
        }
    }
    sums[HERE] = x + y;
}

// Global memory.

__global__ void load_contiguous(const float *__restrict__ in, float *__restrict__ out, int n) {
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            sum += in[(r * ROUND + k) * THREADS + threadIdx.x];
        }
    }
    out[HERE] = sum;
}

__global__ void load_vector(const float4 *__restrict__ vectors, float *__restrict__ out, int n) {
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND / 4; k++) {
            const float4 v = vectors[(r * ROUND / 4 + k) * THREADS + threadIdx.x];
            sum += v.x + v.y + v.z + v.w;
        }
    }
    out[HERE] = sum;
}

__global__ void load_broadcast(const float *__restrict__ in, float *__restrict__ out, int n) {
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            sum += in[r * ROUND + k];
        }
    }
    out[HERE] = sum;
}

__global__ void load_strided(const float *__restrict__ in, float *__restrict__ out, int n) {
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            sum += in[r * ROUND + k + threadIdx.x * 32];
        }
    }
    out[HERE] = sum;
}

__global__ void load_gathered(const int *__restrict__ link, int *__restrict__ sums, int n) {
    int at = threadIdx.x;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            at = link[at];
        }
    }
    sums[HERE] = at;
}

__global__ void store(const float *__restrict__ in, float *__restrict__ out, int n) {
    float x = in[threadIdx.x];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            out[(blockIdx.x * ROUND + k) * THREADS + threadIdx.x] = x;
        }
        x += 1.0f;
    }
}

// Shared memory.

__global__ void shared_load(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float tile[ROUND + 1][THREADS];
    for (int k = 0; k <= ROUND; k++) {
        tile[k][threadIdx.x] = in[k];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            sum += tile[k + (r & 1)][threadIdx.x];
        }
    }
    out[HERE] = sum;
}

__global__ void shared_load_conflicts(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float tile[THREADS][32];
    for (int k = 0; k < 32; k++) {
        tile[threadIdx.x][k] = in[k];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            // Not of one row: neighbours there would be one wide load.
            sum += tile[(threadIdx.x + k) % THREADS][16 * (r & 1)];
        }
    }
    out[HERE] = sum;
}

__global__ void shared_store(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float tile[ROUND][THREADS];
    float x = in[threadIdx.x];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            tile[k][threadIdx.x] = x;
        }
        x += 1.0f;
    }
    __syncthreads();
    out[HERE] = tile[n & 15][THREADS - 1 - threadIdx.x];
}

// Written by one warp and read by another in turns, as a tile in a loop is.
__global__ void shared_exchange(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float tile[2][THREADS];
    float x = in[threadIdx.x];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            tile[k & 1][threadIdx.x] = x;
            __syncthreads();
            x += tile[k & 1][THREADS - 1 - threadIdx.x];
        }
    }
    out[HERE] = x;
}

// Other memory.

__constant__ float TABLE[ROUND * 64];

__global__ void constant(float *__restrict__ out, int n) {
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            sum += TABLE[(r & 63) * ROUND + k];
        }
    }
    out[HERE] = sum;
}

__global__ void local(const float *__restrict__ in, const int *__restrict__ link, float *__restrict__ out, int n) {
    float kept[ROUND];
    const int first = link[threadIdx.x];
    for (int k = 0; k < ROUND; k++) {
        kept[(first + k) & 15] = in[k];
    }
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            sum += kept[(first + r + k) & 15];
        }
    }
    out[HERE] = sum;
}

__global__ void texture(cudaTextureObject_t image, float *__restrict__ out, int n) {
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            sum += tex2D<float>(image, threadIdx.x + 0.5f, r + k + 0.5f);
        }
    }
    out[HERE] = sum;
}

__global__ void atomic_shared(const int *__restrict__ link, int *__restrict__ sums, int n) {
    __shared__ int bins[THREADS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    const int first = link[threadIdx.x];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            atomicAdd(&bins[(first + k) & (THREADS - 1)], 1);
        }
    }
    __syncthreads();
    sums[HERE] = bins[threadIdx.x];
}

__global__ void atomic_global(const int *__restrict__ link, int *__restrict__ sums, int n) {
    const int first = link[threadIdx.x];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            atomicAdd(&sums[blockIdx.x * THREADS + ((first + k) & (THREADS - 1))], 1);
        }
    }
}

// Lanes and warps that meet.

__global__ void shuffle(const float *__restrict__ in, float *__restrict__ out, int n) {
    float x = in[threadIdx.x];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            x += __shfl_xor_sync(ALL, x, 1 << (k % 5));
        }
    }
    out[HERE] = x;
}

__global__ void vote(const int *__restrict__ link, int *__restrict__ sums, int n) {
    unsigned x = link[threadIdx.x];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            x += __ballot_sync(ALL, x & 1) | threadIdx.x;
        }
    }
    sums[HERE] = (int)x;
}

__global__ void barrier(const float *__restrict__ in, float *__restrict__ out, int n) {
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            __syncthreads();
        }
    }
    out[HERE] = in[threadIdx.x];
}

// Control.

__global__ void branch_divergent(const int *__restrict__ link, int *__restrict__ sums, int n) {
    int x = link[threadIdx.x];
    int y = link[threadIdx.x + 1];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int k = 0; k < ROUND; k++) {
            if ((x + threadIdx.x) & 1) {
                sums[HERE] = x;
                x += y;
            } else {
                sums[HERE] = y;
                y ^= x;
            }
        }
    }
    sums[HERE] = x + y;
}

__global__ void loop_uniform(const float *__restrict__ in, float *__restrict__ out, int n) {
    const float x = in[threadIdx.x];
    float sum = 0.0f;
    for (int r = 0; r < n; r++) {
#pragma unroll 1
        for (int k = 0; k < ROUND; k++) {
            sum += x;
        }
    }
    out[HERE] = sum;
}

__device__ float deeper(float x, int depth) {
    return depth == 0 ? x : deeper(x * 0.5f, depth - 1) + 1.0f;
}

__global__ void call(const float *__restrict__ in, float *__restrict__ out, int n) {
    float x = in[threadIdx.x];
    for (int r = 0; r < n; r++) {
        x = deeper(x, ROUND);
    }
    out[HERE] = x;
}
