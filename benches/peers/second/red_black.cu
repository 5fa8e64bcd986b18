// Half a sweep of red-black Gauss-Seidel with over-relaxation, in place: the inner cells of one colour.

__global__ void red_black_test(float *u, int width, int height, int colour, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) {
        return;
    }
    if ((x + y) % 2 != colour) {
        return;
    }
    int i = y * width + x;
    float mean = 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width]);
    u[i] = u[i] + omega * (mean - u[i]);
}

#define U(row, column) u[(row) * width + (column)]

// A thread per cell of the colour.
__global__ void red_black_half(float *u, int width, int height, int colour, float omega) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int part = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < height - 1) {
        const int column = 1 + 2 * part + ((colour + row + 1) & 1);
        if (column < width - 1) {
            float sum = U(row - 1, column);
            sum += U(row, column - 1);
            sum += U(row, column + 1);
            sum += U(row + 1, column);
            U(row, column) += omega * (sum * 0.25f - U(row, column));
        }
    }
}
