// Addition of doubles as the programming guide's pattern has it, written for any operation.
template <typename Op>
__device__ double atomic_op(double *address, double value, Op op) {
    unsigned long long *p = reinterpret_cast<unsigned long long *>(address);
    unsigned long long old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, __double_as_longlong(op(value, __longlong_as_double(seen))));
    } while (seen != old);
    return __longlong_as_double(old);
}
__global__ void products(double *out, const double *in) {
    atomic_op(out, in[threadIdx.x], [](double a, double b) { return a * b; });
}
