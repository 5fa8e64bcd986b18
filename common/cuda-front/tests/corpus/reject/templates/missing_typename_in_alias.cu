template <class T> struct A { typedef int type; };
template <class T> using B = A<T>;
template <class T> __device__ int f(T x) {
    using type = B<T>::type; // ERROR
    return type(x);
}
__global__ void k(int *p) { p[0] = f(p[1]); }
