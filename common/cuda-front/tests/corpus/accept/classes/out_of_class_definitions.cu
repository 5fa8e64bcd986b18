// Methods and constructors defined outside the class.
class Grid {
public:
    __device__ Grid(float *p, int w);
    __device__ float &operator()(int r, int c);
    __device__ int width() const;

private:
    float *p_;
    int w_;
};
__device__ Grid::Grid(float *p, int w) : p_(p), w_(w) {}
__device__ float &Grid::operator()(int r, int c) { return p_[r * w_ + c]; }
__device__ int Grid::width() const { return w_; }
__global__ void grids(float *out, int w) {
    Grid g(out, w);
    g(1, 2) = g.width();
}
