// Overloads of two namespaces through `using`; parentheses around a name switch off argument-dependent look-up.
namespace one { struct A {}; __device__ int f(long) { return 1; } __device__ int f(A) { return 2; } }
namespace two { __device__ int f(const char *) { return 3; } }
using one::f;
using two::f;
namespace three { struct B {}; __device__ int g(B, int) { return 4; } }
__device__ int g(three::B, long) { return 5; }
__global__ void overloads(int *out) {
    out[threadIdx.x] = f(1L) + f(one::A{}) + f("") + g(three::B{}, 1) + (g)(three::B{}, 1);
}
