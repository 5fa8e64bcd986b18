// The results of `<=>`. What is compared with an ordering is the number 0.
#pragma once
namespace std {

#define __ORDERING(ordering) \
    friend constexpr __host__ __device__ bool operator==(ordering a, ordering b) { return a.__order == b.__order; } \
    friend constexpr __host__ __device__ bool operator==(ordering a, decltype(nullptr)) { return a.__order == 0; } \
    friend constexpr __host__ __device__ bool operator<(ordering a, decltype(nullptr)) { return a.__order == -1; } \
    friend constexpr __host__ __device__ bool operator>(ordering a, decltype(nullptr)) { return a.__order == 1; } \
    friend constexpr __host__ __device__ bool operator<=(ordering a, decltype(nullptr)) { return a.__order == -1 || a.__order == 0; } \
    friend constexpr __host__ __device__ bool operator>=(ordering a, decltype(nullptr)) { return a.__order == 1 || a.__order == 0; } \
    friend constexpr __host__ __device__ bool operator<(decltype(nullptr), ordering a) { return a.__order == 1; } \
    friend constexpr __host__ __device__ bool operator>(decltype(nullptr), ordering a) { return a.__order == -1; } \
    friend constexpr __host__ __device__ bool operator<=(decltype(nullptr), ordering a) { return a.__order == 1 || a.__order == 0; } \
    friend constexpr __host__ __device__ bool operator>=(decltype(nullptr), ordering a) { return a.__order == -1 || a.__order == 0; } \
    friend constexpr __host__ __device__ ordering operator<=>(ordering a, decltype(nullptr)) { return a; } \
    friend constexpr __host__ __device__ ordering operator<=>(decltype(nullptr), ordering a) { \
        return ordering{(signed char)(a.__order == 2 ? 2 : -a.__order)}; \
    }

struct partial_ordering {
    signed char __order;
    static const partial_ordering less, equivalent, greater, unordered;
    __ORDERING(partial_ordering)
};
inline constexpr partial_ordering partial_ordering::less{-1};
inline constexpr partial_ordering partial_ordering::equivalent{0};
inline constexpr partial_ordering partial_ordering::greater{1};
inline constexpr partial_ordering partial_ordering::unordered{2};

struct weak_ordering {
    signed char __order;
    static const weak_ordering less, equivalent, greater;
    constexpr __host__ __device__ operator partial_ordering() const { return partial_ordering{__order}; }
    __ORDERING(weak_ordering)
};
inline constexpr weak_ordering weak_ordering::less{-1};
inline constexpr weak_ordering weak_ordering::equivalent{0};
inline constexpr weak_ordering weak_ordering::greater{1};

struct strong_ordering {
    signed char __order;
    static const strong_ordering less, equal, equivalent, greater;
    constexpr __host__ __device__ operator partial_ordering() const { return partial_ordering{__order}; }
    constexpr __host__ __device__ operator weak_ordering() const { return weak_ordering{__order}; }
    __ORDERING(strong_ordering)
};
inline constexpr strong_ordering strong_ordering::less{-1};
inline constexpr strong_ordering strong_ordering::equal{0};
inline constexpr strong_ordering strong_ordering::equivalent{0};
inline constexpr strong_ordering strong_ordering::greater{1};
#undef __ORDERING

constexpr __host__ __device__ bool is_eq(partial_ordering o) { return o == 0; }
constexpr __host__ __device__ bool is_neq(partial_ordering o) { return o != 0; }
constexpr __host__ __device__ bool is_lt(partial_ordering o) { return o < 0; }
constexpr __host__ __device__ bool is_lteq(partial_ordering o) { return o <= 0; }
constexpr __host__ __device__ bool is_gt(partial_ordering o) { return o > 0; }
constexpr __host__ __device__ bool is_gteq(partial_ordering o) { return o >= 0; }

// `a <=> b` of operands of one built-in type.
template <typename T> constexpr __host__ __device__ auto __three_way(T a, T b) {
    if constexpr (is_floating_point_v<T>) {
        return partial_ordering{(signed char)(a < b ? -1 : a > b ? 1 : a == b ? 0 : 2)};
    } else {
        return strong_ordering{(signed char)(a < b ? -1 : a == b ? 0 : 1)};
    }
}

template <typename T, typename U = T> using compare_three_way_result_t =
    decltype(declval<const T &>() <=> declval<const U &>());
template <typename T, typename U = T> struct compare_three_way_result { using type = compare_three_way_result_t<T, U>; };

// 0: strong, 1: weak, 2: partial.
template <typename T> inline constexpr int __weakness = 3;
template <> inline constexpr int __weakness<strong_ordering> = 0;
template <> inline constexpr int __weakness<weak_ordering> = 1;
template <> inline constexpr int __weakness<partial_ordering> = 2;
template <int weakest> struct __category { using type = void; };
template <> struct __category<0> { using type = strong_ordering; };
template <> struct __category<1> { using type = weak_ordering; };
template <> struct __category<2> { using type = partial_ordering; };
template <typename... T> constexpr __host__ __device__ int __weakest() {
    const int all[] = {0, __weakness<T>...};
    int weakest = 0;
    for (int one : all) weakest = one > weakest ? one : weakest;
    return weakest;
}
template <typename... T> struct common_comparison_category { using type = typename __category<__weakest<T...>()>::type; };
template <typename... T> using common_comparison_category_t = typename common_comparison_category<T...>::type;

template <typename T, typename U = T> concept three_way_comparable_with = requires (const T &a, const U &b) { a <=> b; a == b; };
template <typename T, typename C = partial_ordering> concept three_way_comparable =
    three_way_comparable_with<T> && __weakness<compare_three_way_result_t<T>> <= __weakness<C>;

struct compare_three_way {
    template <typename T, typename U> constexpr __host__ __device__ auto operator()(const T &a, const U &b) const { return a <=> b; }
};

}
