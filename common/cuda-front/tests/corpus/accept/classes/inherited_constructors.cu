// Constructors and overloads that a class takes over from its base.
struct Shape {
    int w, h;
    __device__ Shape(int side) : w(side), h(side) {}
    __device__ Shape(int w, int h) : w(w), h(h) {}
    __device__ int scale(int by) const { return w * by; }
};
struct Tile : Shape {
    using Shape::Shape;
    using Shape::scale;
    int offset = 3;
    __device__ int scale(float by) const { return static_cast<int>(h * by); }
};
__global__ void k(int *out) {
    Tile a(4), b(2, 5), c{7};
    out[0] = a.w + b.h + c.offset;
    out[1] = a.scale(2) + b.scale(1.5f);
}
