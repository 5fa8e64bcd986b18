// Steps until a point of the plane leaves the circle of radius 2.

__global__ void mandelbrot_while(int *steps, int width, int height, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float cx = -2.0f + 3.0f * x / width;
        float cy = -1.5f + 3.0f * y / height;
        float zx = 0.0f, zy = 0.0f;
        int count = 0;
        while (zx * zx + zy * zy < 4.0f && count < limit) {
            float next = zx * zx - zy * zy + cx;
            zy = 2.0f * zx * zy + cy;
            zx = next;
            count++;
        }
        steps[y * width + x] = count;
    }
}

__global__ void mandelbrot_break(int *steps, int width, int height, int limit) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) {
        return;
    }
    const float real = -2.0f + 3.0f * column / width;
    const float imaginary = -1.5f + 3.0f * row / height;
    float a = 0.0f;
    float b = 0.0f;
    int i;
    for (i = 0; i < limit; ++i) {
        const float aa = a * a;
        const float bb = b * b;
        if (aa + bb >= 4.0f) {
            break;
        }
        b = 2.0f * a * b + imaginary;
        a = aa - bb + real;
    }
    steps[row * width + column] = i;
}
