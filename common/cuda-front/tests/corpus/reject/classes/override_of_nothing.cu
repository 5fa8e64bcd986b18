// `override` of a function whose parameters differ from those of the base.
struct Shape { __device__ virtual float scaled(float by) const { return by; } };
struct Square : Shape {
    __device__ float scaled(int by) const override { return by * 2; } // ERROR
};
__global__ void k(float *out) { Square s; out[0] = s.scaled(2); }
