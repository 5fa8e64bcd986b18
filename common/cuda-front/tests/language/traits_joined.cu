// EXPECT: 1 0 8 4 1 2 4 1 0 255 31 1 1 1 0 1 1 0 1 15 1 0 0 0
#include <type_traits>
#include <limits>
#include <cstdint>
template <class T> struct isi : std::bool_constant<sizeof(T) == 4> {};
template <class T> struct ic : std::integral_constant<int, sizeof(T)> {};
template <class T> __device__ int tag(std::true_type) { return 1; } template <class T> __device__ int tag(std::false_type) { return 2; }
__global__ void k(int *out) {
  out[0] = isi<float>::value; out[1] = isi<double>{}; out[2] = ic<double>::value; out[3] = ic<float>()();
  out[4] = tag<int>(isi<int>{}); out[5] = tag<int>(isi<char>{});
  int a = sizeof(decltype(a)); out[6] = a;
  out[7] = std::numeric_limits<int>::max() == 2147483647; out[8] = std::numeric_limits<float>::is_integer; out[9] = std::numeric_limits<unsigned char>::max(); out[10] = std::numeric_limits<const int>::digits; out[11] = std::numeric_limits<int>::is_signed;
  out[12] = std::bool_constant<true>::value; out[13] = std::conjunction_v<std::is_integral<int>, std::is_signed<int>>; out[14] = std::negation<std::true_type>::value;
  out[15] = std::disjunction_v<std::is_integral<float>, std::is_signed<int>>;
  out[16] = std::is_same_v<std::common_type_t<int, float>, float>; 
  out[18] = ::std::numeric_limits<int>::lowest() < 0; out[19] = std::numeric_limits<double>::digits10; out[20] = std::numeric_limits<float>::infinity() > 3;
}
