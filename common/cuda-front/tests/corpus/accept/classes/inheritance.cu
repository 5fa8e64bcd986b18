// Public inheritance: members, methods of the base, constructors of it, conversion to it.
struct Shape {
    float cx, cy;
    __device__ Shape(float x, float y) : cx(x), cy(y) {}
    __device__ float distance2(float x, float y) const { return (x - cx) * (x - cx) + (y - cy) * (y - cy); }
};
struct Circle : public Shape {
    float r;
    __device__ Circle(float x, float y, float radius) : Shape(x, y), r(radius) {}
    __device__ bool contains(float x, float y) const { return distance2(x, y) < r * r; }
};
__device__ float centre(const Shape &s) { return s.cx + s.cy; }
__global__ void shapes(float *out) {
    Circle c(1, 2, 3);
    c.cx += 1;
    out[0] = c.contains(2, 2) + centre(c) + c.Shape::distance2(0, 0);
}
