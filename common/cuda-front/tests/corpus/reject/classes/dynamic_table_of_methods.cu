struct Shape { int sides; __device__ virtual int area() { return sides; } };
struct Drawing { Shape shapes[2]; };
__device__ Drawing drawing; // ERROR
__global__ void k(int *out) { out[0] = drawing.shapes[0].area(); }
