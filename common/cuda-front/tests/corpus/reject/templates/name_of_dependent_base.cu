template <class T> struct Base { typedef T type; };
template <class T> struct Derived : Base<T> {
    type x; // ERROR
};
__global__ void k(int *p) { Derived<int> d; d.x = 1; p[0] = d.x; }
