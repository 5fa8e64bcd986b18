// One shared struct that holds all of a block's buffers.
struct Workspace {
    float a[16][17];
    float b[16][16];
    int flags[16];
};
__global__ void workspace(float *out) {
    __shared__ Workspace w;
    int x = threadIdx.x, y = threadIdx.y;
    w.a[y][x] = x;
    w.b[x][y] = w.a[y][x];
    if (y == 0) w.flags[x] = 1;
    __syncthreads();
    Workspace *p = &w;
    out[y * 16 + x] = p->a[x][y] + p->b[x][y] + p->flags[x];
}
