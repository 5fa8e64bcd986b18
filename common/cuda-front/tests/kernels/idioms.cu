// What C++ programmers write beyond plain kernels; one thread; each element is a value that C++ defines.
namespace lib {
inline namespace v1 {
__device__ int version() { return 4; }
} // namespace v1
} // namespace lib

enum class Axis { X = 2, Y = 5 };

template <typename T>
constexpr T seven = T(7);

template <Axis A>
__device__ int along(int x, int y) {
    if constexpr (A == Axis::X) return x;
    return y * static_cast<int>(A);
}

__device__ int triple(int x) { return 3 * x; }

template <typename T, int N>
class Ring {
    T data[N];
    int next = 0;

public:
    __device__ Ring() {
        for (int i = 0; i < N; ++i) data[i] = T(triple(i));
    }
    __device__ void push(T x);
    __device__ T sum() const;
    friend __device__ bool operator<(const Ring &a, const Ring &b) { return a.sum() < b.sum(); }
};
template <typename U, int M>
__device__ void Ring<U, M>::push(U x) {
    data[next] = x;
    next = (next + 1) % M;
}
template <typename T, int N>
__device__ T Ring<T, N>::sum() const {
    T s = 0;
    for (int i = 0; i < N; ++i) s += data[i];
    return s;
}

struct Cell {
    int a, b;
    __device__ Cell(int x, int y);
    __device__ int product() const;
};
__device__ Cell::Cell(int x, int y) : a(x), b(y) {}
__device__ int Cell::product() const { return a * b; }

template <typename Derived>
struct Base {
    __device__ int twice(int x) const { return 2 * static_cast<const Derived *>(this)->eval(x); }
};
struct Square : Base<Square> {
    __device__ int eval(int x) const { return x * x; }
};

__device__ int &larger(int &a, int &b) { return a > b ? a : b; }
__device__ int kind(int &&) { return 1; }
__device__ int kind(int &) { return 2; }

template <typename T>
__device__ T total(T x) { return x; }
template <typename T, typename... Ts>
__device__ T total(T x, Ts... rest) { return x + total<Ts...>(rest...); }
template <typename F, typename... Ts>
__device__ void each(F f, Ts... xs) { (f(xs), ...); }

__global__ void idioms(int *out, int n) {
    int *o = out;
    int u = 1, v = 2;
    (n > 3 ? u : v) += 10; // u = 11
    ++(n > 9 ? u : v);     // v = 3
    larger(u, v) = 4;      // u = 4
    *o++ = u * 100 + v;
    Cell cells[2] = {Cell(1, 2), Cell(3, 4)};
    Cell *p = cells;
    (n > 3 ? p[0] : p[1]).b = 9;
    *o++ = cells[0].product() * 100 + cells[1].product();

    const int k = 3;
    constexpr int w[3] = {5, 6, 7};
    auto plain = [](int x) { return x * k; };
    auto outer = [&](int i) {
        auto inner = [=](int j) { return i * j + n + k + w[i]; };
        auto add = [&](int x) { u += x; };
        add(inner(2));
        return inner(1);
    };
    *o++ = outer(1) * 1000 + u * 10 + plain(1);
    int calls = 0;
    auto count = [calls]() mutable { return ++calls; };
    count();
    *o++ = count() * 10 + calls;

    Ring<int, 3> a, b;
    a.push(10);
    a.push(20);
    *o++ = a.sum() * 10 + (b < a);
    *o++ = along<Axis::X>(3, 4) * 100 + along<Axis::Y>(3, 4) + seven<int>;
    *o++ = lib::version() * 10 + Square().twice(3);
    *o++ = kind(u) * 10 + kind(u + 1);
    int t = 0;
    each([&](int x) { t = t * 10 + x; }, 1, 2, 3);
    *o++ = t + total(1, 2, 3) * 1000;
}
