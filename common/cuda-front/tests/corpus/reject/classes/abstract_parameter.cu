// An abstract class passed by value.
struct Shape { __device__ virtual float area() const = 0; };
__device__ float area(Shape shape) { return shape.area(); } // ERROR
__global__ void k(float *out) { out[0] = 0; }
