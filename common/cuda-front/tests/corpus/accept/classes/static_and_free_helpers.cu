// Free functions that take structs by value, by pointer and by reference; constants of structs; nested calls.
struct Dims {
    int w, h;
    __host__ __device__ bool has(int x, int y) const { return x >= 0 && y >= 0 && x < w && y < h; }
    __host__ __device__ int clamp_x(int x) const { return x < 0 ? 0 : (x >= w ? w - 1 : x); }
};
struct Image {
    const float *data;
    Dims dims;
};
__device__ float sample(const Image &img, int x, int y, float outside = 0.0f) {
    return img.dims.has(x, y) ? img.data[y * img.dims.w + x] : outside;
}
__device__ void store(float *out, const Dims *d, int x, int y, float v) {
    if (d->has(x, y)) out[y * d->w + x] = v;
}
__global__ void shift(float *out, Image img, int dx) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const Dims d = img.dims;
    store(out, &d, x, y, sample(img, x + dx, y, sample(img, d.clamp_x(x - dx), y)));
}
