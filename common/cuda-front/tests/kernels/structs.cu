// Structs: by value as a parameter, with methods, with arrays, templates, references, unions.
struct Grid {
    int width, height;
    float spacing;
    __host__ __device__ int index(int x, int y) const { return y * width + x; }
    __host__ __device__ bool inside(int x, int y) const { return x >= 0 && x < width && y >= 0 && y < height; }
};

template <typename T>
struct Range {
    T low, high;
    __device__ T clamp(T v) const { return v < low ? low : v > high ? high : v; }
};

struct Window {
    float values[3];
    int next;
    __device__ void push(float v) {
        values[next] = v;
        next = (next + 1) % 3;
    }
    __device__ float mean() const { return (values[0] + values[1] + values[2]) / 3.0f; }
};

union Bits {
    float f;
    unsigned int u;
};

__device__ void swap(float &a, float &b) {
    float t = a;
    a = b;
    b = t;
}

__global__ void relax(const float *in, float *out, Grid grid) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (!grid.inside(x, y)) return;
    Range<float> range = {-1.0f, 1.0f};
    float sum = 0.0f;
    int count = 0;
    const int dx[4] = {1, -1, 0, 0};
    const int dy[4] = {0, 0, 1, -1};
    for (int d = 0; d < 4; ++d) {
        if (!grid.inside(x + dx[d], y + dy[d])) continue;
        sum += in[grid.index(x + dx[d], y + dy[d])];
        ++count;
    }
    out[grid.index(x, y)] = range.clamp(sum / count * grid.spacing);
}

__global__ void misc(float *data, int n) {
    Window w = {{0, 0, 0}, 0};
    for (int i = 0; i < n; i++) w.push(data[i]);
    float a = w.mean(), b = data[0];
    if (a > b) swap(a, b);
    swap(data[0], data[1]);
    Bits bits;
    bits.f = a;
    bits.u ^= 0x80000000u;
    data[2] = bits.f;
    auto twice = [=](float v) { return v * 2 + b; };
    data[3] = twice(a);
}
