// enable_if that fails leaves no function.
template <bool B, typename T>
struct enable_if {};
template <typename T>
struct enable_if<true, T> {
    using type = T;
};
template <typename T>
__device__ typename enable_if<(sizeof(T) > 4), T>::type wide(T x) { return x; }
__global__ void k(float *out) {
    out[0] = wide(1.0f); // ERROR
}
