// A step of Floyd and Warshall's shortest paths: those through vertex k.

__global__ void floyd_warshall_2d(int *distance, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        int through = distance[i * n + k] + distance[k * n + j];
        if (through < distance[i * n + j]) {
            distance[i * n + j] = through;
        }
    }
}

// A block per row.
__global__ void floyd_warshall_rows(int *distance, int n, int k) {
    int *row = distance + blockIdx.x * n;
    const int to_k = row[k];
    const int *from_k = distance + k * n;
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        int through = to_k + from_k[j];
        int direct = row[j];
        if (direct > through) {
            row[j] = through;
        }
    }
}
