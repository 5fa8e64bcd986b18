// EXPECT: 2 4 1 7 1
#include <type_traits>

enum E : unsigned { e0 };
enum class F : short { a = 7 };
enum class G : unsigned char { a };

template <class T> struct Of {
    using type = typename std::underlying_type<T>::type;
};

__global__ void k(int *out) {
    out[0] = sizeof(std::underlying_type_t<F>);
    out[1] = sizeof(typename Of<E>::type);
    out[2] = sizeof(__underlying_type(G));
    out[3] = static_cast<std::underlying_type_t<F>>(F::a);
    out[4] = std::is_same<std::underlying_type_t<F>, short>::value;
}
