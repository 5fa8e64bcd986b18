// A class with virtual methods that only the host uses, beside a kernel.
// NVRTC: options -default-device
class Shape {
  public:
    virtual ~Shape() {}
    virtual float area() const = 0;
    operator float() const { return area(); }
};

class Square : public Shape {
  public:
    explicit Square(float side) : side_(side) {}
    float area() const override { return side_ * side_; }

  private:
    float side_;
};

__global__ void k(float *out) { out[0] = 1; }
