// EXPECT: 47 4 13
// Constant tables of the host, read at compile time by constexpr functions.
struct P { int x, y[2]; }; constexpr P pts[2] = {{1, {2, 3}}, {4, {5, 6}}};
__host__ __device__ constexpr int look(int i) { return pts[i].y[1]; }
__host__ __device__ constexpr int twice(int i) { return look(i) * 2; }
template <int N> __device__ constexpr int tw() { return twice(N); }
template <class T> __host__ __device__ constexpr T gen(T i) { T s = 0; for (int k = 0; k < 2; k++) s += pts[k].x; return s + i; }
struct M { __device__ constexpr int get(int i) const { return pts[i].x; } };
__global__ void k(int *p) {
    constexpr int a = look(0), b = twice(1);
    static_assert(gen(1) == 6, "");
    p[0] = a + b + tw<1>() + look(1) + twice(0) + gen(3);
    constexpr M m{}; constexpr int z = m.get(1); p[1] = z;
    int arr[look(0)]; arr[0] = 1; p[2] = arr[0] + sizeof(arr);
}
