// Friends of class templates, comparison operators, a conversion of arguments by a constructor.
template <typename T>
class Fixed {
    T raw;

public:
    __device__ Fixed(T r) : raw(r) {}
    __device__ T value() const { return raw / T(16); }
    friend __device__ Fixed operator+(Fixed a, Fixed b) { return Fixed(a.raw + b.raw); }
    friend __device__ bool operator<(const Fixed &a, const Fixed &b) { return a.raw < b.raw; }
    friend __device__ bool operator!=(const Fixed &a, const Fixed &b) { return a.raw != b.raw; }
};
__global__ void fixed(int *out) {
    Fixed<int> a(16), b = 32;
    out[0] = (a + b).value() + (a < b) + (a != b);
    out[1] = (a + Fixed<int>(3)).value();
}
