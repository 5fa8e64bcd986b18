// An overriding function with another result.
struct Shape { __device__ virtual int area() const { return 0; } };
struct Square : Shape {
    __device__ float area() const { return 4; } // ERROR
};
__global__ void k(float *out) { Square s; out[0] = s.area(); }
