// A temporary object of an abstract class.
struct Shape { int sides; __device__ virtual float area() const = 0; };
__global__ void k(int *out) {
    out[0] = Shape().sides; // ERROR
}
