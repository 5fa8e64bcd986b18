// Virtual functions of an object made on the device.
struct Op {
    __device__ virtual float eval(float x) const = 0;
};
struct Twice : Op {
    __device__ float eval(float x) const override { return 2 * x; }
};
struct Neg : Op {
    __device__ float eval(float x) const override { return -x; }
};
__global__ void virtuals(float *out, int which) {
    Twice t;
    Neg n;
    const Op *op = &t;
    if (which) op = &n;
    out[threadIdx.x] = op->eval(threadIdx.x);
}
