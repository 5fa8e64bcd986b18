// A level of a breadth-first search.
#define UNSEEN -1
__device__ int frontier_size;
__global__ void bfs(const int *__restrict__ offsets, const int *__restrict__ edges, int *distance, int *next, const int *frontier, int n, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int u = frontier[i];
    for (int e = offsets[u]; e < offsets[u + 1]; ++e) {
        const int v = edges[e];
        if (atomicCAS(&distance[v], UNSEEN, level + 1) == UNSEEN) next[atomicAdd(&frontier_size, 1)] = v;
    }
}
