// Overloaded methods, on const too, and constructors.
struct Buffer {
    float data[4];
    __device__ Buffer() : data{0, 0, 0, 0} {}
    __device__ explicit Buffer(float v) : data{v, v, v, v} {}
    __device__ Buffer(float a, float b) : data{a, b, a, b} {}
    __device__ float &at(int i) { return data[i]; }
    __device__ float at(int i) const { return data[i]; }
    __device__ float at() const { return data[0]; }
};
__global__ void methods(float *out) {
    Buffer a, b(1.0f), c(1, 2);
    const Buffer d{3, 4};
    a.at(1) = b.at() + c.at(3) + d.at(0);
    out[0] = a.at(1);
}
