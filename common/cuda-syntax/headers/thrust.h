// What device code may use of Thrust without an algorithm: pairs, tuples and functors. Its containers and algorithms are
// not here, so that `thrust` has more names than this text.
#pragma once
#include <cuda/functional>
namespace thrust {

using cuda::maximum;
using cuda::minimum;
using cuda::std::bit_and;
using cuda::std::bit_or;
using cuda::std::bit_xor;
using cuda::std::divides;
using cuda::std::equal_to;
using cuda::std::get;
using cuda::std::greater;
using cuda::std::greater_equal;
using cuda::std::less;
using cuda::std::less_equal;
using cuda::std::logical_and;
using cuda::std::logical_not;
using cuda::std::logical_or;
using cuda::std::make_pair;
using cuda::std::make_tuple;
using cuda::std::minus;
using cuda::std::modulus;
using cuda::std::multiplies;
using cuda::std::negate;
using cuda::std::not_equal_to;
using cuda::std::pair;
using cuda::std::plus;
using cuda::std::tie;
using cuda::std::tuple;
using cuda::std::tuple_element;
using cuda::std::tuple_size;

template <typename T = void> struct identity {
    __host__ __device__ constexpr const T &operator()(const T &a) const { return a; }
};
template <> struct identity<void> {
    template <typename T> __host__ __device__ constexpr const T &operator()(const T &a) const { return a; }
};
template <typename T> struct square {
    __host__ __device__ constexpr T operator()(const T &a) const { return a * a; }
};
template <typename A, typename B> __host__ __device__ void swap(pair<A, B> &x, pair<A, B> &y) {
    pair<A, B> kept = x;
    x = y;
    y = kept;
}

}
