// Enumerators, pointers to functions and auto as parameters.
enum class Mode { Add, Mul };
template <Mode M>
__device__ float apply(float a, float b) {
    if (M == Mode::Add) return a + b;
    return a * b;
}
__device__ float half_of(float x) { return x / 2; }
template <float (*F)(float)>
__device__ float call(float x) { return F(x); }
template <auto V>
__device__ auto value() { return V; }
__global__ void params(float *out) {
    out[0] = apply<Mode::Add>(1, 2) + apply<Mode::Mul>(3, 4) + call<half_of>(5) + value<7>() + value<'c'>();
}
