template <typename T> __global__ void f() { T::type x; x = 1; }
