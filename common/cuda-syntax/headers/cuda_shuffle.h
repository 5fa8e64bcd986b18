// The value of another lane, for types that the built-in shuffles do not take. A part of other headers here.
#pragma once
namespace __shuffle {

// What the built-in shuffles take; other types are moved in pieces.
template <typename T> struct is_shuffled { static const bool value = false; };
template <> struct is_shuffled<int> { static const bool value = true; };
template <> struct is_shuffled<unsigned int> { static const bool value = true; };
template <> struct is_shuffled<long> { static const bool value = true; };
template <> struct is_shuffled<unsigned long> { static const bool value = true; };
template <> struct is_shuffled<long long> { static const bool value = true; };
template <> struct is_shuffled<unsigned long long> { static const bool value = true; };
template <> struct is_shuffled<float> { static const bool value = true; };
template <> struct is_shuffled<double> { static const bool value = true; };

template <typename Piece, typename T>
__device__ inline T pieces(unsigned int mask, T v, int from) {
    // Zeros first: an assignment leaves padding as it is.
    alignas(T) Piece p[sizeof(T) / sizeof(Piece)] = {};
    T &moved = *reinterpret_cast<T *>(p);
    moved = v;
    for (unsigned int i = 0u; i < sizeof(T) / sizeof(Piece); ++i) {
        p[i] = (Piece)__shfl_sync(mask, (unsigned int)p[i], from);
    }
    return moved;
}
// The value of a lane of the warp.
template <typename T>
__device__ inline T value_of(unsigned int mask, T v, int from) {
    if constexpr (is_shuffled<T>::value) {
        return __shfl_sync(mask, v, from);
    } else if constexpr (alignof(T) % 4 == 0) {
        return pieces<unsigned int>(mask, v, from);
    } else if constexpr (alignof(T) % 2 == 0) {
        return pieces<unsigned short>(mask, v, from);
    } else {
        return pieces<unsigned char>(mask, v, from);
    }
}

}
