// A step of a breadth-first search: vertices that were not visited and are neighbours of the frontier.

__global__ void bfs_step_if(const int *offsets, const int *edges, const int *frontier, const int *visited, int *next,
                            int vertices) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices && frontier[v]) {
        for (int e = offsets[v]; e < offsets[v + 1]; e++) {
            int to = edges[e];
            if (!visited[to]) {
                atomicExch(&next[to], 1);
            }
        }
    }
}

__global__ void bfs_step_return(const int *offsets, const int *edges, const int *frontier, const int *visited,
                                int *next, int vertices) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) {
        return;
    }
    if (frontier[v] == 0) {
        return;
    }
    const int *edge = edges + offsets[v];
    int left = offsets[v + 1] - offsets[v];
    while (left > 0) {
        if (visited[*edge] == 0) {
            atomicExch(next + *edge, 1);
        }
        edge++;
        left--;
    }
}
