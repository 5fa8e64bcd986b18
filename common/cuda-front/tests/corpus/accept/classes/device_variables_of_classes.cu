// Device variables without an initializer: their constructors are constant, or do nothing.
struct Defaults { int a = 3; int b[2] = {4, 5}; };
struct Constant { int a; __host__ __device__ constexpr Constant(int a = 6) : a(a) {} };
struct Idle { int a; __host__ __device__ Idle() {} __host__ __device__ ~Idle() {} };
struct Derived : Idle { int b; __host__ __device__ Derived() {} };
struct Trivial { int a; Trivial() = default; };
__device__ Defaults defaults[2];
__constant__ Constant constant;
__device__ Derived derived[3];
__device__ Trivial trivial;
__device__ dim3 size;
__global__ void k(int *out) {
    out[0] = defaults[1].a + defaults[1].b[1];
    out[1] = constant.a;
    out[2] = derived[1].b + trivial.a;
    out[3] = size.y;
}
