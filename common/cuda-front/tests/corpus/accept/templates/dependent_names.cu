// typename and template before dependent names.
template <typename T>
struct Traits {
    using Value = T;
    typedef const T *Pointer;
    enum { bytes = sizeof(T) };
    template <typename U>
    __device__ U as(T x) const { return U(x); }
};
template <typename T>
__device__ typename T::Value load(typename T::Pointer p) {
    typename T::Value v = *p;
    T traits;
    return v + traits.template as<int>(v) + T::bytes;
}
__global__ void dependent(float *out, const float *in) { out[0] = load<Traits<float>>(in); }
