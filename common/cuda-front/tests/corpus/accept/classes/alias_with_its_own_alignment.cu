// An alias that asks for the alignment its type has, as libraries write it.
template <typename T> struct Aligned { enum { BYTES = sizeof(T) }; typedef __align__(sizeof(T)) T Type; };
#define ALIGNED(t, b) template <> struct Aligned<t> { enum { BYTES = b }; typedef __align__(b) t Type; };
ALIGNED(short4, 8) ALIGNED(int2, 8) ALIGNED(float4, 16)
typedef __align__(4) int Word, Words[2];
typedef double Wide __attribute__((aligned(8)));
template <typename T> __device__ int bytes() { return alignof(typename Aligned<T>::Type) + Aligned<T>::BYTES; }
__global__ void k(int *out) { out[0] = bytes<short4>() + bytes<int>() + bytes<float4>() + sizeof(Words) + alignof(Wide) + alignof(Word); }
