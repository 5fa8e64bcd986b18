// Nested namespaces, aliases, using declarations and directives, unnamed namespaces.
namespace math {
constexpr float PI = 3.14159f;
namespace detail {
__device__ float sq(float x) { return x * x; }
} // namespace detail
__device__ float area(float r) { return PI * detail::sq(r); }
} // namespace math
namespace a::b {
struct T {
    int v;
};
__device__ int get(T t) { return t.v; }
} // namespace a::b
namespace {
__device__ int hidden() { return 5; }
} // namespace
namespace m = math;
__global__ void spaces(float *out) {
    using math::area;
    using namespace a::b;
    T t{3};
    out[0] = area(2) + m::detail::sq(3) + get(t) + ::hidden() + a::b::get({4});
}
