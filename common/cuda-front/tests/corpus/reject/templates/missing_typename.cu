template <class T> struct A { typedef int type; };
template <class T> __device__ int f(T x) {
    A<T>::type y = x; // ERROR
    return y;
}
__global__ void k(int *p) { p[0] = f(p[1]); }
