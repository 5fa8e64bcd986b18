// Erosion: the least byte of each 5 x 5 window, through tiles of 32 x 8 with halos; 255 outside the image.

#define R 2
#define BX 32
#define BY 8

__global__ void erosion_loops(const unsigned char *in, unsigned char *out, int width, int height) {
    __shared__ unsigned char tile[BY + 2 * R][BX + 2 * R];
    int left = (int)(blockIdx.x * BX) - R;
    int top = (int)(blockIdx.y * BY) - R;
    for (int j = threadIdx.y; j < BY + 2 * R; j += BY) {
        for (int i = threadIdx.x; i < BX + 2 * R; i += BX) {
            int x = left + i, y = top + j;
            bool inside = x >= 0 && x < width && y >= 0 && y < height;
            tile[j][i] = inside ? in[y * width + x] : 255;
        }
    }
    __syncthreads();
    int x = blockIdx.x * BX + threadIdx.x;
    int y = blockIdx.y * BY + threadIdx.y;
    if (x < width && y < height) {
        unsigned char least = 255;
        for (int j = 0; j <= 2 * R; j++) {
            for (int i = 0; i <= 2 * R; i++) {
                unsigned char value = tile[threadIdx.y + j][threadIdx.x + i];
                least = value < least ? value : least;
            }
        }
        out[y * width + x] = least;
    }
}

__device__ int pixel(const unsigned char *in, int x, int y, int width, int height) {
    if (x < 0 || y < 0 || x >= width || y >= height)
        return 255;
    return in[x + y * width];
}

// Rows first, and then columns, in place in a flat tile.
__global__ void erosion_separable(const unsigned char *in, unsigned char *out, int width, int height) {
    __shared__ int tile[(BX + 2 * R) * (BY + 2 * R)];
    const int pitch = BX + 2 * R;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * blockDim.x + tx;
    const int y = blockIdx.y * blockDim.y + ty;
    tile[(ty + R) * pitch + tx + R] = pixel(in, x, y, width, height);
    if (ty < R) {
        tile[ty * pitch + tx + R] = pixel(in, x, y - R, width, height);
        tile[(ty + BY + R) * pitch + tx + R] = pixel(in, x, y + BY, width, height);
    }
    if (tx < R) {
        tile[(ty + R) * pitch + tx] = pixel(in, x - R, y, width, height);
        tile[(ty + R) * pitch + tx + BX + R] = pixel(in, x + BX, y, width, height);
    }
    if (tx < R && ty < R) {
        tile[ty * pitch + tx] = pixel(in, x - R, y - R, width, height);
        tile[ty * pitch + tx + BX + R] = pixel(in, x + BX, y - R, width, height);
        tile[(ty + BY + R) * pitch + tx] = pixel(in, x - R, y + BY, width, height);
        tile[(ty + BY + R) * pitch + tx + BX + R] = pixel(in, x + BX, y + BY, width, height);
    }
    __syncthreads();
    int upper = 255, lower = 255;
    for (int i = 0; i < 5; i++) {
        upper = min(upper, tile[ty * pitch + tx + i]);
        if (ty < 2 * R) {
            lower = min(lower, tile[(ty + BY) * pitch + tx + i]);
        }
    }
    __syncthreads();
    tile[ty * pitch + tx] = upper;
    if (ty < 2 * R) {
        tile[(ty + BY) * pitch + tx] = lower;
    }
    __syncthreads();
    if (x >= width || y >= height)
        return;
    const int *window = tile + ty * pitch + tx;
    int least = window[0];
    int i = 1;
    while (i < 5) {
        least = min(least, window[i * pitch]);
        i++;
    }
    out[y * width + x] = least;
}
