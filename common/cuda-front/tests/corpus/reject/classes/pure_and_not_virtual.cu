// `= 0` of a function that is not virtual.
struct Shape {
    __device__ int area() const = 0; // ERROR
};
__global__ void k(int *out) { out[0] = sizeof(Shape); }
