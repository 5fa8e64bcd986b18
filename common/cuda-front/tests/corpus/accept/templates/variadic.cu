// Parameter packs: recursion, fold expressions, sizeof..., expansion in braces.
__device__ int total() { return 0; }
template <typename T, typename... Rest>
__device__ int total(T first, Rest... rest) { return first + total(rest...); }
template <typename... Ts>
__device__ float folded(Ts... xs) { return (xs + ...) + sizeof...(Ts); }
template <typename... Ts>
__device__ bool all(Ts... xs) { return (... && xs); }
template <int... Is>
__device__ int list() {
    int a[] = {Is...};
    return a[sizeof...(Is) - 1];
}
__global__ void packs(float *out) {
    out[0] = total(1, 2, 3) + folded(1.0f, 2, 'c') + all(true, 1 > 0) + list<4, 5, 6>();
}
