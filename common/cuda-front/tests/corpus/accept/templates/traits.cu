// Traits written by hand: conditional, is_same, enable_if.
template <bool B, typename T, typename F>
struct conditional { using type = T; };
template <typename T, typename F>
struct conditional<false, T, F> { using type = F; };
template <typename A, typename B>
struct is_same { static constexpr bool value = false; };
template <typename A>
struct is_same<A, A> { static constexpr bool value = true; };
template <bool B, typename T = void>
struct enable_if {};
template <typename T>
struct enable_if<true, T> { using type = T; };
template <typename A, typename B>
constexpr bool same = is_same<A, B>::value;

template <typename T>
__device__ typename enable_if<is_same<T, int>::value, int>::type pick(T) { return 1; }
template <typename T>
__device__ typename enable_if<!is_same<T, int>::value, int>::type pick(T) { return 2; }
__global__ void traits(int *out) {
    using Wide = typename conditional<(sizeof(int) > 2), long long, int>::type;
    static_assert(same<Wide, long long>, "wide");
    out[0] = sizeof(Wide) + pick(1) + pick(1.0f);
}
