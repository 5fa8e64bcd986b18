// Steps until a point of the plane leaves the circle of radius 2.

kernel void mandelbrot_while(global int *steps, int width, int height, int limit) {
    int x = get_global_id(0);
    int y = get_global_id(1);
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

kernel void mandelbrot_break(global int *steps, int width, int height, int limit) {
    const int column = get_global_id(0);
    const int row = get_global_id(1);
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
