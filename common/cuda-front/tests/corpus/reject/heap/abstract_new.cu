// `new` of an abstract class.
struct Shape {
    __device__ virtual int area() const = 0;
};
__global__ void k() {
    Shape *s = new Shape; // ERROR
}
