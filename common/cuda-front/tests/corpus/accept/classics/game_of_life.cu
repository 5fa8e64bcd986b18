// Conway's rule on a torus, and bit by bit.
__global__ void life(unsigned char *next, const unsigned char *now, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) alive += now[(y + dy + h) % h * w + (x + dx + w) % w];
    next[y * w + x] = alive == 3 || (alive == 2 && now[y * w + x]);
}
