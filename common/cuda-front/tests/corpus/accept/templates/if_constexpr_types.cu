// if constexpr over sizes and traits: the branch not taken may not fit the type.
template <typename T>
struct is_float4 { static constexpr bool value = false; };
template <>
struct is_float4<float4> { static constexpr bool value = true; };
template <typename T>
__device__ float total(const T &v) {
    if constexpr (is_float4<T>::value) {
        return v.x + v.y + v.z + v.w;
    } else if constexpr (sizeof(T) == 8) {
        return v.x + v.y;
    } else {
        return v;
    }
}
__global__ void totals(float *out, const float4 *a, const float2 *b, const float *c) {
    out[0] = total(a[0]) + total(b[0]) + total(c[0]);
}
