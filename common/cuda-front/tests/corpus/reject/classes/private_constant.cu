// A constant that is private in its class.
class Shape {
    static constexpr int WIDTH = 8;

public:
    __device__ int width() const { return WIDTH; }
};
__global__ void k(int *out) {
    Shape s;
    out[0] = s.width();
    out[1] = Shape::WIDTH; // ERROR
}
