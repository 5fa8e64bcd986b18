// A function of the host that overrides one of the device.
struct Shape { __device__ virtual int area() const { return 0; } };
struct Square : Shape {
    __host__ __device__ int area() const override { return 4; } // ERROR
};
__global__ void k(int *out) { Square s; out[0] = s.area(); }
