// `virtual` repeated outside the class.
struct Shape { __device__ virtual int area() const; };
virtual __device__ int Shape::area() const { return 3; } // ERROR
__global__ void k(int *out) { Shape s; out[0] = s.area(); }
