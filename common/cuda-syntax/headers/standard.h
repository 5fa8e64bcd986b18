// The part of C++'s standard library that is types alone, for `std` and `cuda::std`, and the containers of `cuda::std`. Read
// before a file that names one of them (see `preprocess::composed`).
#pragma once
namespace __standard {

template <typename T, T v> struct integral_constant {
    static constexpr T value = v;
    using value_type = T;
    using type = integral_constant<T, v>;
    __host__ __device__ constexpr operator T() const { return v; }
    __host__ __device__ constexpr T operator()() const { return v; }
};
template <bool b> using bool_constant = integral_constant<bool, b>;
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <typename... T> using void_t = void;
template <bool b, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { using type = T; };
template <bool b, typename T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool b, typename T, typename F> struct conditional { using type = T; };
template <typename T, typename F> struct conditional<false, T, F> { using type = F; };
template <bool b, typename T, typename F> using conditional_t = typename conditional<b, T, F>::type;
template <typename T> struct type_identity { using type = T; };

template <typename T> struct remove_const { using type = T; };
template <typename T> struct remove_const<const T> { using type = T; };
template <typename T> struct remove_volatile { using type = T; };
template <typename T> struct remove_volatile<volatile T> { using type = T; };
template <typename T> struct remove_cv { using type = typename remove_const<typename remove_volatile<T>::type>::type; };
template <typename T> struct remove_reference { using type = T; };
template <typename T> struct remove_reference<T &> { using type = T; };
template <typename T> struct remove_reference<T &&> { using type = T; };
template <typename T> struct remove_pointer { using type = T; };
template <typename T> struct remove_pointer<T *> { using type = T; };
template <typename T> struct remove_extent { using type = T; };
template <typename T, unsigned long n> struct remove_extent<T[n]> { using type = T; };
template <typename T> struct add_const { using type = const T; };
template <typename T> struct add_pointer { using type = typename remove_reference<T>::type *; };
template <typename T> struct add_lvalue_reference { using type = T &; };
template <typename T> struct add_rvalue_reference { using type = T &&; };
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> using remove_volatile_t = typename remove_volatile<T>::type;
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> using remove_extent_t = typename remove_extent<T>::type;
template <typename T> using add_const_t = const T;
template <typename T> using add_pointer_t = typename add_pointer<T>::type;
template <typename T> using remove_cvref_t = typename remove_cv<typename remove_reference<T>::type>::type;
template <typename T> struct __decayed { using type = typename remove_cv<T>::type; };
template <typename T, unsigned long n> struct __decayed<T[n]> { using type = T *; };
template <typename T> struct decay { using type = typename __decayed<typename remove_reference<T>::type>::type; };
template <typename T> using decay_t = typename decay<T>::type;

template <typename T> struct underlying_type { using type = __underlying_type(T); };
template <typename T> using underlying_type_t = typename underlying_type<T>::type;

template <typename... T> struct conjunction : true_type {};
template <typename T> struct conjunction<T> : T {};
template <typename T, typename... U> struct conjunction<T, U...> : conditional_t<bool(T::value), conjunction<U...>, T> {};
template <typename... T> struct disjunction : false_type {};
template <typename T> struct disjunction<T> : T {};
template <typename T, typename... U> struct disjunction<T, U...> : conditional_t<bool(T::value), T, disjunction<U...>> {};
template <typename T> struct negation : bool_constant<!bool(T::value)> {};
template <typename... T> inline constexpr bool conjunction_v = conjunction<T...>::value;
template <typename... T> inline constexpr bool disjunction_v = disjunction<T...>::value;
template <typename T> inline constexpr bool negation_v = negation<T>::value;

template <typename A, typename B> struct is_same : false_type {};
template <typename A> struct is_same<A, A> : true_type {};
template <typename T> struct is_const : false_type {};
template <typename T> struct is_const<const T> : true_type {};
template <typename T> struct __is_plain_pointer : false_type {};
template <typename T> struct __is_plain_pointer<T *> : true_type {};
template <typename T> struct is_pointer : __is_plain_pointer<typename remove_cv<T>::type> {};
template <typename T> struct is_reference : false_type {};
template <typename T> struct is_reference<T &> : true_type {};
template <typename T> struct is_reference<T &&> : true_type {};
template <typename T> struct is_lvalue_reference : false_type {};
template <typename T> struct is_lvalue_reference<T &> : true_type {};
template <typename T> struct is_array : false_type {};
template <typename T, unsigned long n> struct is_array<T[n]> : true_type {};
template <typename T> struct is_void : is_same<typename remove_cv<T>::type, void> {};
template <typename T> struct is_integral : bool_constant<__is_integral(T)> {};
template <typename T> struct is_floating_point : bool_constant<__is_floating_point(T)> {};
template <typename T> struct is_arithmetic : bool_constant<__is_integral(T) || __is_floating_point(T)> {};
template <typename T> struct is_signed : bool_constant<__is_signed(T)> {};
template <typename T> struct is_unsigned : bool_constant<__is_unsigned(T)> {};
template <typename T> struct is_class : bool_constant<__is_class(T)> {};
template <typename T> struct is_union : bool_constant<__is_union(T)> {};
template <typename T> struct is_enum : bool_constant<__is_enum(T)> {};
template <typename T> struct is_empty : bool_constant<__is_empty(T)> {};
template <typename T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <typename A, typename B> struct is_base_of : bool_constant<__is_base_of(A, B)> {};
template <typename A, typename B> struct is_convertible : bool_constant<__is_convertible(A, B)> {};
template <typename T, typename... A> struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <typename A, typename B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <typename T> inline constexpr bool is_const_v = is_const<T>::value;
template <typename T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <typename T> inline constexpr bool is_reference_v = is_reference<T>::value;
template <typename T> inline constexpr bool is_lvalue_reference_v = is_lvalue_reference<T>::value;
template <typename T> inline constexpr bool is_array_v = is_array<T>::value;
template <typename T> inline constexpr bool is_void_v = is_void<T>::value;
template <typename T> inline constexpr bool is_integral_v = __is_integral(T);
template <typename T> inline constexpr bool is_floating_point_v = __is_floating_point(T);
template <typename T> inline constexpr bool is_arithmetic_v = __is_integral(T) || __is_floating_point(T);
template <typename T> inline constexpr bool is_signed_v = __is_signed(T);
template <typename T> inline constexpr bool is_unsigned_v = __is_unsigned(T);
template <typename T> inline constexpr bool is_class_v = __is_class(T);
template <typename T> inline constexpr bool is_union_v = __is_union(T);
template <typename T> inline constexpr bool is_enum_v = __is_enum(T);
template <typename T> inline constexpr bool is_empty_v = __is_empty(T);
template <typename T> inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <typename A, typename B> inline constexpr bool is_base_of_v = __is_base_of(A, B);
template <typename A, typename B> inline constexpr bool is_convertible_v = __is_convertible(A, B);

template <unsigned long size> struct __sized {};
template <> struct __sized<1> { using with_sign = signed char; using without = unsigned char; };
template <> struct __sized<2> { using with_sign = short; using without = unsigned short; };
template <> struct __sized<4> { using with_sign = int; using without = unsigned int; };
template <> struct __sized<8> { using with_sign = long; using without = unsigned long; };
template <typename T>
using __as_integer = __sized<__is_enum(T) || (__is_integral(T) && !is_same<T, bool>::value) ? sizeof(T) : 0>;
template <typename T> struct make_unsigned { using type = typename __as_integer<T>::without; };
template <> struct make_unsigned<long long> { using type = unsigned long long; };
template <> struct make_unsigned<unsigned long long> { using type = unsigned long long; };
template <> struct make_unsigned<__int128> { using type = unsigned __int128; };
template <> struct make_unsigned<unsigned __int128> { using type = unsigned __int128; };
template <typename T> struct make_unsigned<const T> { using type = const typename make_unsigned<T>::type; };
template <typename T> struct make_unsigned<volatile T> { using type = volatile typename make_unsigned<T>::type; };
template <typename T> struct make_unsigned<const volatile T> { using type = const volatile typename make_unsigned<T>::type; };
template <typename T> struct make_signed { using type = typename __as_integer<T>::with_sign; };
template <> struct make_signed<long long> { using type = long long; };
template <> struct make_signed<unsigned long long> { using type = long long; };
template <> struct make_signed<__int128> { using type = __int128; };
template <> struct make_signed<unsigned __int128> { using type = __int128; };
template <typename T> struct make_signed<const T> { using type = const typename make_signed<T>::type; };
template <typename T> struct make_signed<volatile T> { using type = volatile typename make_signed<T>::type; };
template <typename T> struct make_signed<const volatile T> { using type = const volatile typename make_signed<T>::type; };
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T> using make_signed_t = typename make_signed<T>::type;

template <typename T> __host__ __device__ T &&declval();
template <typename... T> struct common_type;
template <typename T> struct common_type<T> { using type = typename decay<T>::type; };
template <typename A, typename B> struct common_type<A, B> {
    using type = typename decay<decltype(true ? declval<A>() : declval<B>())>::type;
};
template <typename... T> using common_type_t = typename common_type<T...>::type;

template <typename T, T... i> struct integer_sequence {
    using value_type = T;
    __host__ __device__ static constexpr unsigned long size() { return sizeof...(i); }
};
template <unsigned long... i> using index_sequence = integer_sequence<unsigned long, i...>;
template <unsigned long n, unsigned long... i> struct __counted : __counted<n - 1ul, n - 1ul, i...> {};
template <unsigned long... i> struct __counted<0ul, i...> { using type = integer_sequence<unsigned long, i...>; };
template <unsigned long n> using make_index_sequence = typename __counted<n>::type;
template <typename T, typename S> struct __retyped;
template <typename T, unsigned long... i> struct __retyped<T, integer_sequence<unsigned long, i...>> {
    using type = integer_sequence<T, T(i)...>;
};
template <typename T, T n> using make_integer_sequence =
    typename __retyped<T, make_index_sequence<(unsigned long)n>>::type;
template <typename... T> using index_sequence_for = typename __counted<sizeof...(T)>::type;

enum class byte : unsigned char {};
struct max_align_t { alignas(16) long long __whole; alignas(16) char __real[16]; };
template <typename T> __host__ __device__ constexpr T to_integer(byte b) { return T(b); }
__host__ __device__ constexpr byte operator|(byte a, byte b) { return byte((unsigned char)a | (unsigned char)b); }
__host__ __device__ constexpr byte operator&(byte a, byte b) { return byte((unsigned char)a & (unsigned char)b); }
__host__ __device__ constexpr byte operator^(byte a, byte b) { return byte((unsigned char)a ^ (unsigned char)b); }
__host__ __device__ constexpr byte operator~(byte a) { return byte(~(unsigned char)a); }
template <typename T> __host__ __device__ constexpr byte operator<<(byte a, T n) { return byte((unsigned char)a << n); }
template <typename T> __host__ __device__ constexpr byte operator>>(byte a, T n) { return byte((unsigned char)a >> n); }
__host__ __device__ constexpr byte &operator|=(byte &a, byte b) { return a = a | b; }
__host__ __device__ constexpr byte &operator&=(byte &a, byte b) { return a = a & b; }
__host__ __device__ constexpr byte &operator^=(byte &a, byte b) { return a = a ^ b; }
template <typename T> __host__ __device__ constexpr byte &operator<<=(byte &a, T n) { return a = a << n; }
template <typename T> __host__ __device__ constexpr byte &operator>>=(byte &a, T n) { return a = a >> n; }

template <typename T> class initializer_list {
    const T *__first = nullptr;
    unsigned long __count = 0;

public:
    using value_type = T;
    using reference = const T &;
    using const_reference = const T &;
    using size_type = unsigned long;
    using iterator = const T *;
    using const_iterator = const T *;
    constexpr initializer_list() = default;
    __host__ __device__ constexpr unsigned long size() const { return __count; }
    __host__ __device__ constexpr const T *begin() const { return __first; }
    __host__ __device__ constexpr const T *end() const { return __first + __count; }
};

template <typename T> struct tuple_size;
template <typename T> struct tuple_size<const T> : tuple_size<T> {};
template <unsigned long i, typename T> struct tuple_element;
template <unsigned long i, typename T> struct tuple_element<i, const T> { using type = const typename tuple_element<i, T>::type; };
template <unsigned long i, typename T> using tuple_element_t = typename tuple_element<i, T>::type;

template <typename T, bool = __is_integral(T)> struct __limits {
    static constexpr bool is_specialized = false, is_integer = false, is_signed = false, is_exact = false;
    static constexpr bool has_infinity = false, has_quiet_NaN = false;
    static constexpr int digits = 0, radix = 0, digits10 = 0;
    __host__ __device__ static constexpr T min() { return T(); }
    __host__ __device__ static constexpr T lowest() { return T(); }
    __host__ __device__ static constexpr T max() { return T(); }
    __host__ __device__ static constexpr T epsilon() { return T(); }
};
template <typename T> struct __limits<T, true> {
    static constexpr bool is_specialized = true, is_integer = true, is_signed = T(-1) < T(0);
    static constexpr bool is_exact = true, has_infinity = false, has_quiet_NaN = false;
    static constexpr int digits = is_same<T, bool>::value ? 1 : int(sizeof(T)) * 8 - is_signed;
    static constexpr int radix = 2, digits10 = digits * 30103 / 100000;
    __host__ __device__ static constexpr T min() { return is_signed ? T(-max() - 1) : T(0); }
    __host__ __device__ static constexpr T lowest() { return min(); }
    __host__ __device__ static constexpr T max() {
        return is_signed ? T(((T(1) << (digits - 1)) - 1) * 2 + 1) : T(-1);
    }
    __host__ __device__ static constexpr T epsilon() { return T(0); }
};
template <typename T> struct numeric_limits : __limits<T> {};
template <> struct numeric_limits<__int128> : __limits<__int128, true> {};
template <> struct numeric_limits<unsigned __int128> : __limits<unsigned __int128, true> {};
template <typename T> struct numeric_limits<const T> : numeric_limits<T> {};
template <typename T> struct numeric_limits<volatile T> : numeric_limits<T> {};
template <typename T> struct numeric_limits<const volatile T> : numeric_limits<T> {};
#define __LIMITS_FLOAT(T, LEAST, MOST, EPSILON, DENORM, INF, NOT, DIGITS, DIGITS10)                          \
    template <> struct numeric_limits<T> {                                                                   \
        static constexpr bool is_specialized = true, is_integer = false, is_signed = true;                   \
        static constexpr bool is_exact = false, has_infinity = true, has_quiet_NaN = true;                   \
        static constexpr int digits = DIGITS, radix = 2, digits10 = DIGITS10;                                \
        __host__ __device__ static constexpr T min() { return LEAST; }                                       \
        __host__ __device__ static constexpr T lowest() { return -MOST; }                                    \
        __host__ __device__ static constexpr T max() { return MOST; }                                        \
        __host__ __device__ static constexpr T epsilon() { return EPSILON; }                                 \
        __host__ __device__ static constexpr T round_error() { return T(0.5); }                              \
        __host__ __device__ static constexpr T denorm_min() { return DENORM; }                               \
        __host__ __device__ static constexpr T infinity() { return INF; }                                    \
        __host__ __device__ static T quiet_NaN() { return NOT; }                                             \
    };
__LIMITS_FLOAT(float, 1.17549435e-38f, 3.40282347e+38f, 1.19209290e-7f, 1.40129846e-45f, 1e300f, __int_as_float(0x7fc00000), 24, 6)
__LIMITS_FLOAT(double, 2.2250738585072014e-308, 1.7976931348623157e+308, 2.2204460492503131e-16, 4.9406564584124654e-324,
               (double)1e300f, __longlong_as_double(0x7ff8000000000000ll), 53, 15)
}

namespace __containers {

template <typename A, typename B> struct pair {
    using first_type = A;
    using second_type = B;
    A first;
    B second;
    __host__ __device__ constexpr pair() : first(), second() {}
    __host__ __device__ constexpr pair(const A &a, const B &b) : first(a), second(b) {}
    template <typename C, typename D>
    __host__ __device__ constexpr pair(const pair<C, D> &o) : first(o.first), second(o.second) {}
};
template <typename A, typename B> __host__ __device__ constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>{a, b}; }
template <typename A, typename B>
__host__ __device__ constexpr bool operator==(const pair<A, B> &x, const pair<A, B> &y) {
    return x.first == y.first && x.second == y.second;
}
template <typename A, typename B>
__host__ __device__ constexpr bool operator!=(const pair<A, B> &x, const pair<A, B> &y) { return !(x == y); }
template <typename A, typename B>
__host__ __device__ constexpr bool operator<(const pair<A, B> &x, const pair<A, B> &y) {
    return x.first < y.first || (!(y.first < x.first) && x.second < y.second);
}

template <typename T, typename U = T> __host__ __device__ constexpr T exchange(T &object, U &&value) {
    T old = static_cast<T &&>(object);
    object = static_cast<U &&>(value);
    return old;
}

template <typename... T> struct tuple {};
template <typename H, typename... T> struct tuple<H, T...> {
    H head;
    tuple<T...> tail;
    __host__ __device__ constexpr tuple() : head(), tail() {}
    __host__ __device__ constexpr tuple(const H &h, const T &...t) : head(h), tail(t...) {}
    template <typename G, typename... U>
    __host__ __device__ constexpr tuple(const tuple<G, U...> &o) : head(o.head), tail(o.tail) {}
    template <typename G, typename... U> __host__ __device__ constexpr tuple &operator=(const tuple<G, U...> &o) {
        head = o.head;
        tail = o.tail;
        return *this;
    }
};
template <typename H> struct tuple<H> {
    H head;
    __host__ __device__ constexpr tuple() : head() {}
    __host__ __device__ constexpr tuple(const H &h) : head(h) {}
    template <typename G> __host__ __device__ constexpr tuple(const tuple<G> &o) : head(o.head) {}
    template <typename G> __host__ __device__ constexpr tuple &operator=(const tuple<G> &o) {
        head = o.head;
        return *this;
    }
};
template <typename... T> __host__ __device__ constexpr tuple<T...> make_tuple(T... t) { return tuple<T...>(t...); }
template <typename... T> __host__ __device__ constexpr tuple<T &...> tie(T &...t) { return tuple<T &...>(t...); }
template <typename H>
__host__ __device__ constexpr bool operator==(const tuple<H> &x, const tuple<H> &y) { return x.head == y.head; }
template <typename H, typename I, typename... T>
__host__ __device__ constexpr bool operator==(const tuple<H, I, T...> &x, const tuple<H, I, T...> &y) {
    return x.head == y.head && x.tail == y.tail;
}

// Each takes operands of its own type, or of any where none is named.
#define __BINARY(NAME, RESULT, OPERATOR)                                                                     \
    template <typename T = void> struct NAME {                                                               \
        __host__ __device__ constexpr RESULT operator()(const T &a, const T &b) const { return a OPERATOR b; } \
    };                                                                                                       \
    template <> struct NAME<void> {                                                                          \
        template <typename A, typename B> __host__ __device__ constexpr auto operator()(const A &a, const B &b) const { \
            return a OPERATOR b;                                                                             \
        }                                                                                                    \
    };
__BINARY(plus, T, +)
__BINARY(minus, T, -)
__BINARY(multiplies, T, *)
__BINARY(divides, T, /)
__BINARY(modulus, T, %)
__BINARY(bit_and, T, &)
__BINARY(bit_or, T, |)
__BINARY(bit_xor, T, ^)
__BINARY(equal_to, bool, ==)
__BINARY(not_equal_to, bool, !=)
__BINARY(less, bool, <)
__BINARY(greater, bool, >)
__BINARY(less_equal, bool, <=)
__BINARY(greater_equal, bool, >=)
__BINARY(logical_and, bool, &&)
__BINARY(logical_or, bool, ||)
#define __UNARY(NAME, RESULT, OPERATOR)                                                                      \
    template <typename T = void> struct NAME {                                                               \
        __host__ __device__ constexpr RESULT operator()(const T &a) const { return OPERATOR a; }             \
    };                                                                                                       \
    template <> struct NAME<void> {                                                                          \
        template <typename A> __host__ __device__ constexpr auto operator()(const A &a) const { return OPERATOR a; } \
    };
__UNARY(negate, T, -)
__UNARY(bit_not, T, ~)
__UNARY(logical_not, bool, !)

template <typename T, unsigned long n> struct array {
    using value_type = T;
    T __items[n];
    __host__ __device__ constexpr T &operator[](unsigned long i) { return __items[i]; }
    __host__ __device__ constexpr const T &operator[](unsigned long i) const { return __items[i]; }
    __host__ __device__ constexpr T &at(unsigned long i) { return __items[i]; }
    __host__ __device__ constexpr const T &at(unsigned long i) const { return __items[i]; }
    __host__ __device__ constexpr T &front() { return __items[0]; }
    __host__ __device__ constexpr const T &front() const { return __items[0]; }
    __host__ __device__ constexpr T &back() { return __items[n - 1ul]; }
    __host__ __device__ constexpr const T &back() const { return __items[n - 1ul]; }
    __host__ __device__ constexpr T *data() { return __items; }
    __host__ __device__ constexpr const T *data() const { return __items; }
    __host__ __device__ constexpr T *begin() { return __items; }
    __host__ __device__ constexpr const T *begin() const { return __items; }
    __host__ __device__ constexpr T *end() { return __items + n; }
    __host__ __device__ constexpr const T *end() const { return __items + n; }
    __host__ __device__ constexpr bool empty() const { return false; }
    __host__ __device__ constexpr unsigned long size() const { return n; }
    __host__ __device__ constexpr unsigned long max_size() const { return n; }
    __host__ __device__ void fill(const T &v) {
        for (unsigned long i = 0; i < n; ++i) __items[i] = v;
    }
};
template <typename T, unsigned long n> __host__ __device__ bool operator==(const array<T, n> &x, const array<T, n> &y) {
    for (unsigned long i = 0; i < n; ++i)
        if (!(x[i] == y[i])) return false;
    return true;
}

}

namespace __standard {
template <typename... T> struct tuple_size<__containers::tuple<T...>> : integral_constant<unsigned long, sizeof...(T)> {};
template <typename A, typename B> struct tuple_size<__containers::pair<A, B>> : integral_constant<unsigned long, 2ul> {};
template <typename T, unsigned long n> struct tuple_size<__containers::array<T, n>> : integral_constant<unsigned long, n> {};
template <typename H, typename... T> struct tuple_element<0ul, __containers::tuple<H, T...>> { using type = H; };
template <unsigned long i, typename H, typename... T>
struct tuple_element<i, __containers::tuple<H, T...>> : tuple_element<i - 1ul, __containers::tuple<T...>> {};
template <typename A, typename B> struct tuple_element<0ul, __containers::pair<A, B>> { using type = A; };
template <typename A, typename B> struct tuple_element<1ul, __containers::pair<A, B>> { using type = B; };
template <unsigned long i, typename T, unsigned long n> struct tuple_element<i, __containers::array<T, n>> { using type = T; };
}

namespace __containers {
using __standard::tuple_element_t;
#define __GET(CV, REF)                                                                                       \
    template <unsigned long i, typename A, typename B>                                                       \
    __host__ __device__ constexpr CV tuple_element_t<i, pair<A, B>> REF get(CV pair<A, B> REF p) {           \
        if constexpr (i == 0ul) return static_cast<CV A REF>(p.first);                                       \
        else return static_cast<CV B REF>(p.second);                                                         \
    }                                                                                                        \
    template <unsigned long i, typename T, unsigned long n>                                                  \
    __host__ __device__ constexpr CV T REF get(CV array<T, n> REF a) {                                       \
        return static_cast<CV T REF>(a[i]);                                                                  \
    }
__GET(, &)
__GET(const, &)
__GET(, &&)
template <unsigned long i, typename... T>
__host__ __device__ constexpr tuple_element_t<i, tuple<T...>> &get(tuple<T...> &t) {
    if constexpr (i == 0ul) return t.head;
    else return get<i - 1ul>(t.tail);
}
template <unsigned long i, typename... T>
__host__ __device__ constexpr const tuple_element_t<i, tuple<T...>> &get(const tuple<T...> &t) {
    if constexpr (i == 0ul) return t.head;
    else return get<i - 1ul>(t.tail);
}
template <unsigned long i, typename... T>
__host__ __device__ constexpr tuple_element_t<i, tuple<T...>> &&get(tuple<T...> &&t) {
    return static_cast<tuple_element_t<i, tuple<T...>> &&>(get<i>(t));
}
}

namespace std {
using namespace __standard;
}
namespace cuda {
namespace std {
using namespace __standard;
using namespace __containers;
}
}
