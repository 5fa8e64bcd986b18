template <typename T> __device__ void f() { T::type x; x = 1; }
