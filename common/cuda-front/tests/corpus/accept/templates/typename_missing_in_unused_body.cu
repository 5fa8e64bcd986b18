// Without `typename` a member of a parameter is no type, which is only an error once the body is instantiated.
template <class T> struct Wrapped { typedef T type; };
template <class T> __device__ int local() {
    T::type x = 1;
    return x;
}
template <class T> __device__ int pointer() {
    T::type *p = nullptr;
    return p == nullptr;
}
template <class T> __device__ int cast() { return static_cast<T::type>(1); }
template <class T> __device__ int nested() {
    Wrapped<T>::type x = 1;
    return x;
}
template <class T> struct Class {
    __device__ int method() {
        T::type x = 1;
        return x;
    }
};
__global__ void k(int *out) { out[0] = 1; }
