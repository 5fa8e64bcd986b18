struct S { int a; };
template <class T> __device__ bool has(T t) { return requires { t.b; }; }
__global__ void k(int *out) {
    out[0] = has(S{1}) + requires (S s) { s.a; requires sizeof(S) == 8; };
    out[1] = requires (S s) { s.b; }; // ERROR
}
// NVRTC: options --std=c++20
