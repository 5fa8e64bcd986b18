// Names of built-in functions that are not overloaded, as values and as template arguments.
template <class F> __device__ float apply(F f, float a, float b) { return f(a, b); }
template <float (*f)(float)> __device__ float fixed(float a) { return f(a); }
typedef float (*Operation)(float, float);
__device__ Operation table[2] = {fmaxf, fminf};

__global__ void k(float *out) {
    out[0] = apply(fmaxf, 1, 2) + apply(powf, 2, 3);
    out[1] = fixed<sqrtf>(4) + fixed<__expf>(0);
    Operation chosen = out[2] > 0 ? fmaxf : fminf;
    float (*sine)(float) = &sinf;
    auto exponential = __expf;
    out[2] = chosen(1, 2) + sine(0) + exponential(0) + table[1](5, 6);
}
