// A template that does not fit the type it is used with: the error is in the template.
struct P {
    int a;
};
template <typename T>
__device__ T twice(T x) {
    return x * 2; // ERROR
}
__global__ void k(P *p) { p[0] = twice(p[1]); }
