template <class T> concept Small = sizeof(T) <= 4;
template <Small T> struct S { T x; };
__global__ void k(int *out) {
    S<int> a{1};
    S<double> b{1.0}; // ERROR
    out[0] = a.x;
}
// NVRTC: options --std=c++20
