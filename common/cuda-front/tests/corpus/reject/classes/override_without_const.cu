// `override` of a `const` function by one that is not.
struct Shape { __device__ virtual float area() const { return 1; } };
struct Square : Shape {
    __device__ float area() override { return 4; } // ERROR
};
__global__ void k(float *out) { Square s; out[0] = s.area(); }
