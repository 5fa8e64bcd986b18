// The escape time of each pixel.
struct Complex {
    float re, im;
    __device__ Complex(float r, float i) : re(r), im(i) {}
    __device__ float magnitude2() const { return re * re + im * im; }
    __device__ Complex operator*(const Complex &o) const { return Complex(re * o.re - im * o.im, re * o.im + im * o.re); }
    __device__ Complex operator+(const Complex &o) const { return Complex(re + o.re, im + o.im); }
};
__device__ int escape(Complex c, int limit) {
    Complex z(0, 0);
    int i = 0;
    for (; i < limit && z.magnitude2() < 4.0f; ++i) z = z * z + c;
    return i;
}
__global__ void mandelbrot(uchar4 *pixels, int w, int h, float zoom) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    Complex c((x - w / 2.0f) / zoom, (y - h / 2.0f) / zoom);
    unsigned char v = 255 * escape(c, 200) / 200;
    pixels[y * w + x] = make_uchar4(v, v / 2, 255 - v, 255);
}
