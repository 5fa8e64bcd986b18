// Where `typename` may be left out: within the class itself, before a definition of its member, and where nothing depends on a
// parameter.
template <class T> struct A {
    typedef T type;
    type x;
    __device__ type f();
    __device__ A<T>::type g() {
        A<T>::type y = x;
        return y;
    }
    struct In {
        T v;
        __device__ A<T>::type h() { return v; }
    };
};
template <class T> __device__ A<T>::type A<T>::f() {
    A<T>::type z = x;
    return z;
}
template <class T> struct B : A<T> {
    using typename A<T>::type;
    using Base = A<T>;
    typename Base::type q;
    __device__ type r() { return this->x + q; }
};
template <class T> struct Traits;
template <> struct Traits<int> {
    static __device__ int zero() { return 0; }
    enum E { one = 1 };
};
template <class T> __device__ int values() { return Traits<T>::zero() + Traits<T>::one + int(Traits<T>::E::one); }
template <class T> __device__ int fixed(T x) {
    A<int>::type y = x;
    return A<int>::type(y);
}
template <> struct A<char> {
    typedef int type;
    int x;
};
__device__ A<char>::type of_specialisation(int i) {
    A<char>::type k = i;
    return k;
}
__global__ void k(int *out) {
    B<int> b;
    b.x = 1;
    b.q = 2;
    out[0] = b.f() + b.g() + b.r() + values<int>() + fixed(3) + of_specialisation(2);
}
