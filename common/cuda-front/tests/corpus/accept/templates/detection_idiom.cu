// What a type can do, found out by substitution.
#include <type_traits>
#include <utility>
template <typename T, typename = void> struct has_size : std::false_type {};
template <typename T> struct has_size<T, std::void_t<decltype(T().size())>> : std::true_type {};
struct Box {
    __device__ int size() { return 3; }
};
template <typename T> __device__ int size_of(T t) {
    if constexpr (has_size<T>::value)
        return t.size();
    else
        return 1;
}
__global__ void k(int *out) {
    out[0] = size_of(Box());
    out[1] = size_of(2.0f);
}
