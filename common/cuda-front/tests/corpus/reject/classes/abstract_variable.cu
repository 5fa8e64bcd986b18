// A variable of a class with a pure virtual function.
struct Shape { __device__ virtual float area() const = 0; };
struct Round : Shape { float r; };
__global__ void k(float *out) {
    Round round; // ERROR
    out[0] = round.r;
}
