// A template of complex numbers with free operators that are templates.
template <typename T>
struct Complex {
    T re, im;
    __host__ __device__ Complex(T r = T(0), T i = T(0)) : re(r), im(i) {}
    __host__ __device__ T norm() const { return re * re + im * im; }
    __host__ __device__ Complex conj() const { return Complex(re, -im); }
    __host__ __device__ Complex &operator+=(const Complex &o) {
        re += o.re;
        im += o.im;
        return *this;
    }
};
template <typename T>
__host__ __device__ Complex<T> operator*(const Complex<T> &a, const Complex<T> &b) {
    return Complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
template <typename T>
__host__ __device__ Complex<T> operator+(Complex<T> a, const Complex<T> &b) {
    a += b;
    return a;
}
using C = Complex<float>;
__global__ void julia(int *out, int w, C c) {
    int x = threadIdx.x, y = blockIdx.x, n = 0;
    C z(2.0f * x / w - 1, 2.0f * y / w - 1);
    while (z.norm() < 4 && n < 100) z = z * z + c, ++n;
    out[y * w + x] = n + (int)z.conj().im;
}
