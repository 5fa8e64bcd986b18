// Parts of `cuda::std` that its headers of the same names declare: <bit>, <complex>, <mdspan>, <optional>, <span>.
#pragma once
namespace cuda {
namespace std {

template <typename T> __host__ __device__ constexpr int popcount(T v) noexcept {
    int count = 0;
    for (; v != 0; v &= v - 1) ++count;
    return count;
}
template <typename T> __host__ __device__ constexpr int bit_width(T v) noexcept {
    int width = 0;
    for (; v != 0; v >>= 1) ++width;
    return width;
}
template <typename T> __host__ __device__ constexpr int countl_zero(T v) noexcept { return int(8 * sizeof(T)) - bit_width(v); }
template <typename T> __host__ __device__ constexpr int countl_one(T v) noexcept { return countl_zero(T(~v)); }
template <typename T> __host__ __device__ constexpr int countr_zero(T v) noexcept {
    return v == 0 ? int(8 * sizeof(T)) : popcount(T((v & (T(0) - v)) - 1));
}
template <typename T> __host__ __device__ constexpr int countr_one(T v) noexcept { return countr_zero(T(~v)); }
template <typename T> __host__ __device__ constexpr bool has_single_bit(T v) noexcept { return v != 0 && (v & (v - 1)) == 0; }
template <typename T> __host__ __device__ constexpr T bit_floor(T v) noexcept { return v == 0 ? T(0) : T(T(1) << (bit_width(v) - 1)); }
template <typename T> __host__ __device__ constexpr T bit_ceil(T v) noexcept { return v < 2 ? T(1) : T(T(1) << bit_width(T(v - 1))); }
template <typename T> __host__ __device__ constexpr T rotl(T v, int n) noexcept {
    const int width = 8 * sizeof(T), by = (n % width + width) % width;
    return by == 0 ? v : T(v << by | v >> (width - by));
}
template <typename T> __host__ __device__ constexpr T rotr(T v, int n) noexcept { return rotl(v, -n); }
template <typename To, typename From> __host__ __device__ To bit_cast(const From &from) noexcept {
    static_assert(sizeof(To) == sizeof(From), "bit_cast needs two types of one size");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

enum class nullopt_t { __one };
inline constexpr nullopt_t nullopt = nullopt_t::__one;

template <typename T> struct optional {
    using value_type = T;
    union {
        char __nothing;
        T __held;
    };
    bool __has;
    __host__ __device__ constexpr optional() : __nothing(), __has(false) {}
    __host__ __device__ constexpr optional(nullopt_t) : __nothing(), __has(false) {}
    __host__ __device__ constexpr optional(const T &v) : __held(v), __has(true) {}
    __host__ __device__ optional &operator=(nullopt_t) {
        reset();
        return *this;
    }
    __host__ __device__ optional &operator=(const T &v) {
        emplace(v);
        return *this;
    }
    template <typename... A> __host__ __device__ T &emplace(A &&...a) {
        reset();
        __held = T(static_cast<A &&>(a)...);
        __has = true;
        return __held;
    }
    __host__ __device__ void reset() { __has = false; }
    __host__ __device__ constexpr bool has_value() const { return __has; }
    __host__ __device__ constexpr explicit operator bool() const { return __has; }
    __host__ __device__ constexpr T &operator*() { return __held; }
    __host__ __device__ constexpr const T &operator*() const { return __held; }
    __host__ __device__ constexpr T *operator->() { return &__held; }
    __host__ __device__ constexpr const T *operator->() const { return &__held; }
    __host__ __device__ constexpr T &value() { return __held; }
    __host__ __device__ constexpr const T &value() const { return __held; }
    template <typename U> __host__ __device__ constexpr T value_or(U &&other) const {
        return __has ? __held : static_cast<T>(static_cast<U &&>(other));
    }
};
template <typename T> __host__ __device__ constexpr bool operator==(const optional<T> &a, const optional<T> &b) {
    return a.__has == b.__has && (!a.__has || a.__held == b.__held);
}
template <typename T> __host__ __device__ constexpr bool operator!=(const optional<T> &a, const optional<T> &b) { return !(a == b); }
template <typename T> __host__ __device__ constexpr bool operator==(const optional<T> &a, nullopt_t) { return !a.__has; }
template <typename T> __host__ __device__ constexpr bool operator!=(const optional<T> &a, nullopt_t) { return a.__has; }
template <typename T> __host__ __device__ constexpr optional<T> make_optional(T v) { return optional<T>(v); }

inline constexpr unsigned long dynamic_extent = ~0ul;

template <typename T, unsigned long n = dynamic_extent> struct span {
    using element_type = T;
    using value_type = typename __standard::remove_cv<T>::type;
    using size_type = unsigned long;
    using iterator = T *;
    static constexpr unsigned long extent = n;
    T *__data;
    unsigned long __size;
    __host__ __device__ constexpr span() : __data(nullptr), __size(0) {}
    __host__ __device__ constexpr span(T *data, unsigned long size) : __data(data), __size(size) {}
    __host__ __device__ constexpr span(T *first, T *last) : __data(first), __size(last - first) {}
    template <unsigned long m> __host__ __device__ constexpr span(T (&a)[m]) : __data(a), __size(m) {}
    template <unsigned long m>
    __host__ __device__ constexpr span(__containers::array<value_type, m> &a) : __data(a.data()), __size(m) {}
    template <unsigned long m>
    __host__ __device__ constexpr span(const __containers::array<value_type, m> &a) : __data(a.data()), __size(m) {}
    template <typename U, unsigned long m>
    __host__ __device__ constexpr span(const span<U, m> &o) : __data(o.__data), __size(o.__size) {}
    __host__ __device__ constexpr T &operator[](unsigned long i) const { return __data[i]; }
    __host__ __device__ constexpr T *data() const { return __data; }
    __host__ __device__ constexpr unsigned long size() const { return n == dynamic_extent ? __size : n; }
    __host__ __device__ constexpr unsigned long size_bytes() const { return size() * sizeof(T); }
    __host__ __device__ constexpr bool empty() const { return size() == 0; }
    __host__ __device__ constexpr T *begin() const { return __data; }
    __host__ __device__ constexpr T *end() const { return __data + size(); }
    __host__ __device__ constexpr T &front() const { return __data[0]; }
    __host__ __device__ constexpr T &back() const { return __data[size() - 1]; }
    __host__ __device__ constexpr span<T> first(unsigned long count) const { return span<T>(__data, count); }
    __host__ __device__ constexpr span<T> last(unsigned long count) const { return span<T>(__data + (size() - count), count); }
    __host__ __device__ constexpr span<T> subspan(unsigned long from, unsigned long count = dynamic_extent) const {
        return span<T>(__data + from, count == dynamic_extent ? size() - from : count);
    }
};
template <typename T, unsigned long m> span(T (&)[m]) -> span<T, m>;
template <typename T> span(T *, unsigned long) -> span<T>;

template <typename T> struct complex {
    using value_type = T;
    T __re, __im;
    __host__ __device__ constexpr complex(const T &re = T(), const T &im = T()) : __re(re), __im(im) {}
    template <typename U> __host__ __device__ constexpr complex(const complex<U> &o) : __re(o.__re), __im(o.__im) {}
    __host__ __device__ constexpr T real() const { return __re; }
    __host__ __device__ constexpr T imag() const { return __im; }
    __host__ __device__ constexpr void real(T v) { __re = v; }
    __host__ __device__ constexpr void imag(T v) { __im = v; }
    __host__ __device__ constexpr complex &operator+=(const complex &o) { return *this = complex(__re + o.__re, __im + o.__im); }
    __host__ __device__ constexpr complex &operator-=(const complex &o) { return *this = complex(__re - o.__re, __im - o.__im); }
    __host__ __device__ constexpr complex &operator*=(const complex &o) {
        return *this = complex(__re * o.__re - __im * o.__im, __re * o.__im + __im * o.__re);
    }
    __host__ __device__ constexpr complex &operator/=(const complex &o) {
        const T d = o.__re * o.__re + o.__im * o.__im;
        return *this = complex((__re * o.__re + __im * o.__im) / d, (__im * o.__re - __re * o.__im) / d);
    }
};
#define __OF_COMPLEX(OPERATOR)                                                                               \
    template <typename T> __host__ __device__ constexpr complex<T> operator OPERATOR(const complex<T> &a, const complex<T> &b) { \
        complex<T> r = a;                                                                                    \
        return r OPERATOR##= b;                                                                              \
    }                                                                                                        \
    template <typename T>                                                                                    \
    __host__ __device__ constexpr complex<T> operator OPERATOR(const complex<T> &a, const typename complex<T>::value_type &b) { \
        return a OPERATOR complex<T>(b);                                                                     \
    }                                                                                                        \
    template <typename T>                                                                                    \
    __host__ __device__ constexpr complex<T> operator OPERATOR(const typename complex<T>::value_type &a, const complex<T> &b) { \
        return complex<T>(a) OPERATOR b;                                                                     \
    }
__OF_COMPLEX(+)
__OF_COMPLEX(-)
__OF_COMPLEX(*)
__OF_COMPLEX(/)
template <typename T> __host__ __device__ constexpr complex<T> operator-(const complex<T> &a) { return complex<T>(-a.__re, -a.__im); }
template <typename T> __host__ __device__ constexpr bool operator==(const complex<T> &a, const complex<T> &b) {
    return a.__re == b.__re && a.__im == b.__im;
}
template <typename T> __host__ __device__ constexpr bool operator!=(const complex<T> &a, const complex<T> &b) { return !(a == b); }
template <typename T> __host__ __device__ constexpr T real(const complex<T> &z) { return z.__re; }
template <typename T> __host__ __device__ constexpr T imag(const complex<T> &z) { return z.__im; }
template <typename T> __host__ __device__ constexpr T norm(const complex<T> &z) { return z.__re * z.__re + z.__im * z.__im; }
template <typename T> __host__ __device__ constexpr complex<T> conj(const complex<T> &z) { return complex<T>(z.__re, -z.__im); }
template <typename T> __host__ __device__ T abs(const complex<T> &z) { return ::hypot(z.__re, z.__im); }
template <typename T> __host__ __device__ T arg(const complex<T> &z) { return ::atan2(z.__im, z.__re); }
template <typename T> __host__ __device__ complex<T> polar(const T &r, const T &phi = T()) { return complex<T>(r * ::cos(phi), r * ::sin(phi)); }
template <typename T> __host__ __device__ complex<T> exp(const complex<T> &z) { return polar(::exp(z.__re), z.__im); }

template <typename I, unsigned long... e> struct extents {
    using index_type = I;
    I __sizes[sizeof...(e)];
    __host__ __device__ static constexpr unsigned long rank() { return sizeof...(e); }
    __host__ __device__ static constexpr unsigned long rank_dynamic() { return (0ul + ... + (e == dynamic_extent)); }
    __host__ __device__ static constexpr unsigned long static_extent(unsigned long r) {
        const unsigned long fixed[] = {e...};
        return fixed[r];
    }
    __host__ __device__ constexpr I extent(unsigned long r) const { return __sizes[r]; }
    template <typename... J> __host__ __device__ constexpr extents(J... j) : __sizes{} {
        const I given[sizeof...(J) + 1] = {static_cast<I>(j)..., I()};
        const unsigned long fixed[] = {e...};
        unsigned long next = 0;
        for (unsigned long r = 0; r < sizeof...(e); ++r) {
            const bool is_given = sizeof...(J) == sizeof...(e) || fixed[r] == dynamic_extent;
            __sizes[r] = is_given && next < sizeof...(J) ? given[next] : static_cast<I>(fixed[r]);
            next += is_given;
        }
    }
};
template <typename I, typename S> struct __all_dynamic;
template <typename I, unsigned long... i> struct __all_dynamic<I, __standard::integer_sequence<unsigned long, i...>> {
    using type = extents<I, (i, dynamic_extent)...>;
};
template <typename I, unsigned long rank>
using dextents = typename __all_dynamic<I, __standard::make_integer_sequence<unsigned long, rank>>::type;

struct layout_right {};
struct layout_left {};

template <typename T, typename E, typename L = layout_right> struct mdspan {
    using element_type = T;
    using extents_type = E;
    using index_type = typename E::index_type;
    T *__data;
    E __extents;
    template <typename... J> __host__ __device__ constexpr explicit mdspan(T *data, J... j) : __data(data), __extents(j...) {}
    __host__ __device__ constexpr mdspan(T *data, const E &e) : __data(data), __extents(e) {}
    template <typename... J> __host__ __device__ constexpr T &operator()(J... j) const {
        const index_type at[] = {static_cast<index_type>(j)...};
        index_type offset = 0;
        if constexpr (__standard::is_same<L, layout_right>::value) {
            for (unsigned long r = 0; r < sizeof...(J); ++r) offset = offset * __extents.extent(r) + at[r];
        } else {
            for (unsigned long r = sizeof...(J); r-- > 0;) offset = offset * __extents.extent(r) + at[r];
        }
        return __data[offset];
    }
    __host__ __device__ static constexpr unsigned long rank() { return E::rank(); }
    __host__ __device__ constexpr index_type extent(unsigned long r) const { return __extents.extent(r); }
    __host__ __device__ constexpr const E &extents() const { return __extents; }
    __host__ __device__ constexpr T *data_handle() const { return __data; }
    __host__ __device__ constexpr unsigned long size() const {
        unsigned long all = 1;
        for (unsigned long r = 0; r < E::rank(); ++r) all *= __extents.extent(r);
        return all;
    }
};
}
}
