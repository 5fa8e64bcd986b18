// The concepts of the standard library that need no iterators.
#pragma once
namespace std {

template <typename T> __host__ __device__ T &&__value() noexcept;

template <typename T, typename U> concept __same = is_same_v<T, U>;
template <typename T, typename U> concept same_as = __same<T, U> && __same<U, T>;
template <typename D, typename B> concept derived_from =
    is_base_of_v<B, D> && requires (const volatile D *d, void (*f)(const volatile B *)) { f(d); };
template <typename F, typename T> concept convertible_to =
    is_convertible_v<F, T> && requires { static_cast<T>(__value<F>()); };
template <typename T> concept integral = is_integral_v<T>;
template <typename T> concept signed_integral = integral<T> && is_signed_v<T>;
template <typename T> concept unsigned_integral = integral<T> && !signed_integral<T>;
template <typename T> concept floating_point = is_floating_point_v<T>;

template <typename L, typename R> concept assignable_from =
    is_lvalue_reference_v<L> && requires (L left, R &&right) { { left = static_cast<R &&>(right) } -> same_as<L>; };
template <typename T> concept __object = !is_reference_v<T> && !is_void_v<T> && requires (T *p) { sizeof(T); };
template <typename T> concept destructible = __object<T> || is_reference_v<T>;
template <typename T, typename... A> concept constructible_from = destructible<T> && requires { T(__value<A>()...); };
template <typename T> concept default_initializable = constructible_from<T> && requires { T{}; };
template <typename T> concept move_constructible = constructible_from<T, T> && convertible_to<T, T>;
template <typename T> concept copy_constructible = move_constructible<T> && constructible_from<T, T &> &&
    convertible_to<T &, T> && constructible_from<T, const T &> && convertible_to<const T &, T> &&
    constructible_from<T, const T> && convertible_to<const T, T>;
template <typename T> concept swappable = __object<T> && move_constructible<T> && assignable_from<T &, T>;
template <typename T, typename U> concept common_with = requires (bool which) {
    which ? __value<T>() : __value<U>();
};

template <typename T> concept __boolean = convertible_to<T, bool> && requires (T &&t) { { !t } -> convertible_to<bool>; };
template <typename T, typename U> concept __equal_with = requires (const T &t, const U &u) {
    { t == u } -> __boolean;
    { t != u } -> __boolean;
    { u == t } -> __boolean;
    { u != t } -> __boolean;
};
template <typename T, typename U> concept __ordered_with = requires (const T &t, const U &u) {
    { t < u } -> __boolean;
    { t > u } -> __boolean;
    { t <= u } -> __boolean;
    { t >= u } -> __boolean;
    { u < t } -> __boolean;
    { u > t } -> __boolean;
    { u <= t } -> __boolean;
    { u >= t } -> __boolean;
};
template <typename T> concept equality_comparable = __equal_with<T, T>;
template <typename T, typename U> concept equality_comparable_with =
    equality_comparable<T> && equality_comparable<U> && __equal_with<T, U>;
template <typename T> concept totally_ordered = equality_comparable<T> && __ordered_with<T, T>;
template <typename T, typename U> concept totally_ordered_with =
    totally_ordered<T> && totally_ordered<U> && equality_comparable_with<T, U> && __ordered_with<T, U>;

template <typename T> concept movable = __object<T> && move_constructible<T> && assignable_from<T &, T> && swappable<T>;
template <typename T> concept copyable = copy_constructible<T> && movable<T> && assignable_from<T &, T &> &&
    assignable_from<T &, const T &> && assignable_from<T &, const T>;
template <typename T> concept semiregular = copyable<T> && default_initializable<T>;
template <typename T> concept regular = semiregular<T> && equality_comparable<T>;

template <typename F, typename... A> concept invocable = requires (F &&f, A &&...a) {
    static_cast<F &&>(f)(static_cast<A &&>(a)...);
};
template <typename F, typename... A> concept regular_invocable = invocable<F, A...>;
template <typename F, typename... A> concept predicate = regular_invocable<F, A...> && requires (F &&f, A &&...a) {
    { static_cast<F &&>(f)(static_cast<A &&>(a)...) } -> __boolean;
};
template <typename R, typename T, typename U> concept relation =
    predicate<R, T, T> && predicate<R, U, U> && predicate<R, T, U> && predicate<R, U, T>;
template <typename R, typename T, typename U> concept equivalence_relation = relation<R, T, U>;
template <typename R, typename T, typename U> concept strict_weak_order = relation<R, T, U>;

}
