// >> that closes two lists, comparisons in parentheses, negative values, characters, bool expressions.
template <typename T>
struct Box {
    T v;
};
template <int N>
__device__ int get() { return N; }
template <bool B>
__device__ int flag() { return B ? 1 : 0; }
constexpr int A = 3, B = 2;
__global__ void nested(int *out) {
    Box<Box<int>> b{{5}};
    Box<Box<Box<float>>> c = {};
    out[0] = b.v.v + get<-4>() + get<'a'>() + get<(A > B)>() + flag<A == 3 && B != 3>() + get<A << 1>();
    out[1] = c.v.v.v + get<sizeof(Box<int>)>() + get<A % B>() + get<(A >> 1)>();
}
