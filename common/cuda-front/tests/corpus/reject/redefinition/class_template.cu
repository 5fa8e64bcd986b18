template <class T> struct A { T x; };
template <class T> struct A { T y; }; // ERROR
__global__ void k(int *p) { p[0] = sizeof(A<int>); }
