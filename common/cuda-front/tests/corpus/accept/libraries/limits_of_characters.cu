// Types and limits of characters by their size.
#include <limits>
#include <type_traits>
static_assert(std::numeric_limits<char8_t>::max() == 255);
static_assert(std::numeric_limits<char8_t>::min() == 0);
static_assert(!std::numeric_limits<char8_t>::is_signed);
static_assert(std::numeric_limits<char8_t>::digits == 8);
static_assert(std::is_same_v<std::make_unsigned_t<char8_t>, unsigned char>);
static_assert(std::is_same_v<std::make_signed_t<char8_t>, signed char>);
static_assert(std::is_same_v<std::make_signed_t<char16_t>, short>);
static_assert(std::is_same_v<std::make_unsigned_t<char16_t>, unsigned short>);
static_assert(std::is_same_v<std::make_unsigned_t<char32_t>, unsigned>);
static_assert(std::is_same_v<std::make_signed_t<char32_t>, int>);
static_assert(std::is_same_v<std::make_unsigned_t<wchar_t>, unsigned>);
static_assert(std::is_same_v<std::make_signed_t<wchar_t>, int>);
static_assert(std::is_same_v<std::make_unsigned_t<char>, unsigned char>);
enum class E : char8_t {}; enum F : short {};
static_assert(std::is_same_v<std::make_signed_t<E>, signed char>);
static_assert(std::is_same_v<std::make_unsigned_t<F>, unsigned short>);
static_assert(std::is_same_v<std::make_unsigned_t<const int>, const unsigned>);
static_assert(std::numeric_limits<wchar_t>::max() == 2147483647);
static_assert(std::numeric_limits<char16_t>::max() == 65535);
static_assert(std::numeric_limits<char32_t>::max() == 0xffffffffu);
static_assert(std::numeric_limits<const char8_t>::max() == 255);
// NVRTC: options --std=c++20
