// What `auto &&` is, and casts of what `? :` chooses.
template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;
template <class T> __device__ T &&given(T &x) { return static_cast<T &&>(x); }
template <class T> __device__ auto &&moved(T &x) { return static_cast<T &&>(x); }
template <class T> __device__ auto &&named(T &&x) { return x; }
template <class T> __device__ T &&chosen(bool c, T &&a, T &&b) { return static_cast<T &&>(c ? a : b); }
struct Count {
    int n;
    __device__ int operator*() const { return n; }
    __device__ Count &operator++() { ++n; return *this; }
    __device__ bool operator!=(Count o) const { return n != o.n; }
};
struct Range {
    __device__ Count begin() const { return {1}; }
    __device__ Count end() const { return {4}; }
};
extern "C" __global__ void k(int *o) {
    int x = 1, y = 2;
    auto &&a = given(x); auto &&b = x; auto &&c = 3; auto &&d = (y = 5);
    static_assert(same<decltype(a), int &&> && same<decltype(b), int &> && same<decltype(c), int &&> && same<decltype(d), int &>);
    static_assert(same<decltype(moved(x)), int &&> && same<decltype(named(3)), int &>);
    a = 10; d += 1; o[0] = x * 10 + y;
    moved(x) + 0; o[1] = moved(x) + named(y);
    chosen(false, given(x), given(y)); o[2] = y;
    static_cast<int &>(x > y ? x : y) = 7; o[3] = x * 10 + y;
    int s = 0;
    for (auto &&i : Range{}) { static_assert(same<decltype(i), int &&>); s = s * 10 + i; }
    for (auto &&i : {1, 2}) s = s * 10 + i;
    o[4] = s;
}
// EXPECT: 106 16 6 76 12312
