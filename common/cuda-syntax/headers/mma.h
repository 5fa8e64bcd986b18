// Tensor cores: nvcuda::wmma. A fragment is put together from those of `mma.sync` (PTX ISA), 16 x 8 sums at a time: so lie its
// elements over the lanes, which CUDA leaves open. Where a device keeps elements of `half` twice, `x` has them twice here too, and
// the first ones count. Where M is 8 the transposed product is computed.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}

// What an element is kept as, its bytes, and whether A or B may have it.
template <typename T> struct __element { static constexpr int kind = 0; typedef T stored; };
template <> struct __element<__half> { static constexpr int kind = 1; typedef __half stored; };
template <> struct __element<__nv_bfloat16> { static constexpr int kind = 2; typedef __nv_bfloat16 stored; };
template <> struct __element<precision::tf32> { static constexpr int kind = 3; typedef float stored; };
template <> struct __element<signed char> { static constexpr int kind = 4; typedef signed char stored; };
template <> struct __element<char> { static constexpr int kind = 4; typedef signed char stored; };
template <> struct __element<unsigned char> { static constexpr int kind = 5; typedef unsigned char stored; };
template <> struct __element<double> { static constexpr int kind = 6; typedef double stored; };

template <int M, int N, int K, int Kind> struct __shape {
    static constexpr bool exists =
        Kind == 3   ? M == 16 && N == 16 && K == 8
        : Kind == 6 ? M == 8 && N == 8 && K == 4
        : Kind == 0 ? false
                    : K == 16 && (M == 16 && N == 16 || M == 32 && N == 8 || M == 8 && N == 32);
};

template <typename T, int Size> struct __fragment {
    enum { num_elements = Size, num_storage_elements = Size };
    typedef T element_type;
    typedef T storage_element_type;
    T x[Size];
};

template <typename Use, int M, int N, int K, typename T, typename Layout = void> struct fragment;

template <int M, int N, int K, typename T, typename Layout>
struct fragment<matrix_a, M, N, K, T, Layout>
    : __fragment<typename __element<T>::stored, __element<T>::kind == 1 ? 16 : M * K / 32> {
    static_assert(__shape<M, N, K, __element<T>::kind>::exists, "tensor cores have no such shape for elements of this type");
};
template <int M, int N, int K, typename T, typename Layout>
struct fragment<matrix_b, M, N, K, T, Layout>
    : __fragment<typename __element<T>::stored, __element<T>::kind == 1 ? 16 : N * K / 32> {
    static_assert(__shape<M, N, K, __element<T>::kind>::exists, "tensor cores have no such shape for elements of this type");
};
template <int M, int N, int K, typename T>
struct fragment<accumulator, M, N, K, T, void> : __fragment<T, M * N / 32> {};

template <typename T> struct __is_row { static constexpr bool value = false; };
template <> struct __is_row<row_major> { static constexpr bool value = true; };

__device__ inline int __group() { return (int)__laneid() / 4; }
__device__ inline int __rank() { return (int)__laneid() % 4; }
__device__ inline unsigned short __bits(__half v) { return v.__x; }
__device__ inline unsigned short __bits(__nv_bfloat16 v) { return v.__x; }
__device__ inline void __set(__half &v, unsigned short bits) { v.__x = bits; }
__device__ inline void __set(__nv_bfloat16 &v, unsigned short bits) { v.__x = bits; }

// Two elements of 16 bits at once, of row `i` (of A or of the transposed B) and columns `k + 2 rank` and the next.
template <bool ByRow, typename T>
__device__ inline void __load_pair(T &first, T &second, const T *p, int i, int k, int ldm) {
    if constexpr (ByRow) {
        ushort2 pair = *(const ushort2 *)(p + (i + __group()) * ldm + k + 2 * __rank());
        __set(first, pair.x);
        __set(second, pair.y);
    } else {
        ushort2 pair = *(const ushort2 *)(p + (k + __group()) * ldm + i + 2 * __rank());
        pair = __matrix_transpose(pair.x, pair.y);
        __set(first, pair.x);
        __set(second, pair.y);
    }
}

// The fragment of `Rows` rows of A, or of as many columns of B, `x` from `Start` on.
template <int Kind, int Rows, bool ByRow, int Start, typename T>
__device__ inline void __load_factor(T *x, const T *p, int ldm) {
    constexpr int rows = Rows == 16 ? 2 : 1;
    if constexpr (Kind == 1 || Kind == 2) {
#pragma unroll
        for (int r = 0; r < 2 * rows; ++r) {
            int i = 8 * (r % rows), k = 8 * (r / rows);
            __load_pair<ByRow>(x[Start + 2 * r], x[Start + 2 * r + 1], p, i, k, ldm);
        }
    } else if constexpr (Kind == 4 || Kind == 5) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            int i = 8 * r + __group(), k = 4 * __rank();
            if constexpr (ByRow) {
                unsigned int all = *(const unsigned int *)(p + i * ldm + k);
#pragma unroll
                for (int e = 0; e < 4; ++e) x[Start + 4 * r + e] = (T)(all >> (8 * e));
            } else {
#pragma unroll
                for (int e = 0; e < 4; ++e) x[Start + 4 * r + e] = p[(k + e) * ldm + i];
            }
        }
    } else {
        constexpr int groups = Kind == 3 ? 2 : 1;
#pragma unroll
        for (int r = 0; r < groups * rows; ++r) {
            int i = 8 * (r % rows) + __group(), k = 4 * (r / rows) + __rank();
            x[Start + r] = ByRow ? p[i * ldm + k] : p[k * ldm + i];
        }
    }
}

template <size_t Bytes>
__device__ inline void __check_tile(const void *p, unsigned int ldm) {
    if constexpr (Bytes == 1) __matrix_tile_1(p, ldm);
    if constexpr (Bytes == 2) __matrix_tile_2(p, ldm);
    if constexpr (Bytes == 4) __matrix_tile_4(p, ldm);
    if constexpr (Bytes == 8) __matrix_tile_8(p, ldm);
}

// A factor of `Rows` rows (or columns of B): one of 8, or one or two of 16; of B with 16 columns, two of 8.
template <int Kind, int Rows, bool ByRow, bool Halves, int Size, typename T>
__device__ inline void __load_all(T *x, const T *p, int ldm) {
    constexpr int step = Rows == 8 || Halves ? 8 : 16;
    constexpr int each = Size * step / Rows;
    __load_factor<Kind, step, ByRow, 0>(x, p, ldm);
    if constexpr (Rows > step) __load_factor<Kind, step, ByRow, each>(x, p + (ByRow ? step * ldm : step), ldm);
}

template <int M, int N, int K, typename T, typename Layout>
__device__ inline void load_matrix_sync(
    fragment<matrix_a, M, N, K, T, Layout> &f, const typename __element<T>::stored *p, unsigned int ldm) {
    constexpr int kind = __element<T>::kind, used = M * K / 32;
    __check_tile<sizeof(f.x[0])>(p, ldm);
    __load_all<kind, M, __is_row<Layout>::value, false, used>(f.x, p, (int)ldm);
#pragma unroll
    for (int i = used; i < f.num_elements; ++i) f.x[i] = f.x[i % used];
}
template <int M, int N, int K, typename T, typename Layout>
__device__ inline void load_matrix_sync(
    fragment<matrix_b, M, N, K, T, Layout> &f, const typename __element<T>::stored *p, unsigned int ldm) {
    constexpr int kind = __element<T>::kind, used = N * K / 32;
    __check_tile<sizeof(f.x[0])>(p, ldm);
    __load_all<kind, N, !__is_row<Layout>::value, N == 16, used>(f.x, p, (int)ldm);
#pragma unroll
    for (int i = used; i < f.num_elements; ++i) f.x[i] = f.x[i % used];
}

// Where element `e` of a sum is.
template <int M>
__device__ inline int __sum_row(int e) {
    if (M == 8) return 2 * __rank() + e % 2;
    return __group() + 8 * (e / 2 % 2) + (M == 32 ? 16 * (e / 4) : 0);
}
template <int M, int N>
__device__ inline int __sum_column(int e) {
    if (M == 8 && N == 32) return __group() + 8 * (e / 2 % 2) + 16 * (e / 4);
    return 2 * __rank() + e % 2 + (M == 16 ? 8 * (e / 4) : 0);
}
// Double 8 x 8 sums are not transposed.
template <int M, int N>
__device__ inline int __place(int e, bool by_row, int ldm) {
    int row = M == 8 && N == 8 ? __group() : __sum_row<M>(e);
    int column = M == 8 && N == 8 ? 2 * __rank() + e : __sum_column<M, N>(e);
    return by_row ? row * ldm + column : column * ldm + row;
}

template <typename T> struct __pair_of;
template <> struct __pair_of<float> { typedef float2 type; };
template <> struct __pair_of<int> { typedef int2 type; };
template <> struct __pair_of<double> { typedef double2 type; };
template <> struct __pair_of<__half> { typedef __half2 type; };

// Neighbours in memory go together.
template <int M, int N, bool ByRow, typename T, int Size>
__device__ inline void __store_sum(T *p, const T (&x)[Size], int ldm) {
    typedef typename __pair_of<T>::type Pair;
#pragma unroll
    for (int e = 0; e < Size; e += 2) {
        if constexpr (ByRow != (M == 8 && N == 32)) {
            Pair pair;
            pair.x = x[e];
            pair.y = x[e + 1];
            *(Pair *)(p + __place<M, N>(e, ByRow, ldm)) = pair;
        } else {
            p[__place<M, N>(e, ByRow, ldm)] = x[e];
            p[__place<M, N>(e + 1, ByRow, ldm)] = x[e + 1];
        }
    }
}
template <int M, int N, bool ByRow, typename T, int Size>
__device__ inline void __load_sum(T (&x)[Size], const T *p, int ldm) {
    typedef typename __pair_of<T>::type Pair;
#pragma unroll
    for (int e = 0; e < Size; e += 2) {
        if constexpr (ByRow != (M == 8 && N == 32)) {
            Pair pair = *(const Pair *)(p + __place<M, N>(e, ByRow, ldm));
            x[e] = pair.x;
            x[e + 1] = pair.y;
        } else {
            x[e] = p[__place<M, N>(e, ByRow, ldm)];
            x[e + 1] = p[__place<M, N>(e + 1, ByRow, ldm)];
        }
    }
}

template <int M, int N, int K, typename T>
__device__ inline void load_matrix_sync(
    fragment<accumulator, M, N, K, T, void> &f, const T *p, unsigned int ldm, layout_t layout) {
    __check_tile<sizeof(T)>(p, ldm);
    if (layout == mem_row_major) {
        __load_sum<M, N, true>(f.x, p, (int)ldm);
    } else {
        __load_sum<M, N, false>(f.x, p, (int)ldm);
    }
}
template <int M, int N, int K, typename T>
__device__ inline void store_matrix_sync(
    T *p, const fragment<accumulator, M, N, K, T, void> &f, unsigned int ldm, layout_t layout) {
    __check_tile<sizeof(T)>(p, ldm);
    if (layout == mem_row_major) {
        __store_sum<M, N, true>(p, f.x, (int)ldm);
    } else {
        __store_sum<M, N, false>(p, f.x, (int)ldm);
    }
}

template <typename Use, int M, int N, int K, typename T, typename Layout, typename V>
__device__ inline void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &value) {
#pragma unroll
    for (int i = 0; i < f.num_elements; ++i) f.x[i] = value;
}

// The 16 x 8 sums `d`, from `l` (16 rows) and `r` (8 columns).
__device__ inline void __multiply(float *d, const __half *l, const __half *r, const float *c) {
    float4 s = __matrix_f16_f32(__bits(l[0]), __bits(l[1]), __bits(l[2]), __bits(l[3]), __bits(l[4]), __bits(l[5]),
        __bits(l[6]), __bits(l[7]), __bits(r[0]), __bits(r[1]), __bits(r[2]), __bits(r[3]), c[0], c[1], c[2], c[3]);
    d[0] = s.x; d[1] = s.y; d[2] = s.z; d[3] = s.w;
}
__device__ inline void __multiply(__half *d, const __half *l, const __half *r, const __half *c) {
    ushort4 s = __matrix_f16_f16(__bits(l[0]), __bits(l[1]), __bits(l[2]), __bits(l[3]), __bits(l[4]), __bits(l[5]),
        __bits(l[6]), __bits(l[7]), __bits(r[0]), __bits(r[1]), __bits(r[2]), __bits(r[3]), __bits(c[0]), __bits(c[1]),
        __bits(c[2]), __bits(c[3]));
    __set(d[0], s.x); __set(d[1], s.y); __set(d[2], s.z); __set(d[3], s.w);
}
__device__ inline void __multiply(float *d, const __nv_bfloat16 *l, const __nv_bfloat16 *r, const float *c) {
    float4 s = __matrix_bf16_f32(__bits(l[0]), __bits(l[1]), __bits(l[2]), __bits(l[3]), __bits(l[4]), __bits(l[5]),
        __bits(l[6]), __bits(l[7]), __bits(r[0]), __bits(r[1]), __bits(r[2]), __bits(r[3]), c[0], c[1], c[2], c[3]);
    d[0] = s.x; d[1] = s.y; d[2] = s.z; d[3] = s.w;
}
__device__ inline void __multiply(float *d, const float *l, const float *r, const float *c) {
    float4 s = __matrix_tf32_f32(l[0], l[1], l[2], l[3], r[0], r[1], c[0], c[1], c[2], c[3]);
    d[0] = s.x; d[1] = s.y; d[2] = s.z; d[3] = s.w;
}
__device__ inline void __multiply(int *d, const signed char *l, const signed char *r, const int *c) {
    int4 s = __matrix_s8_s32(l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], r[0], r[1], r[2], r[3], c[0], c[1], c[2], c[3]);
    d[0] = s.x; d[1] = s.y; d[2] = s.z; d[3] = s.w;
}
__device__ inline void __multiply(int *d, const unsigned char *l, const unsigned char *r, const int *c) {
    int4 s = __matrix_u8_s32(l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], r[0], r[1], r[2], r[3], c[0], c[1], c[2], c[3]);
    d[0] = s.x; d[1] = s.y; d[2] = s.z; d[3] = s.w;
}

// D of the same type as C.
template <int M, int N, int K, typename T, typename LA, typename LB, typename U>
__device__ inline void mma_sync(fragment<accumulator, M, N, K, U, void> &d, const fragment<matrix_a, M, N, K, T, LA> &a,
    const fragment<matrix_b, M, N, K, T, LB> &b, const fragment<accumulator, M, N, K, U, void> &c) {
    if constexpr (M == 16) {
        constexpr int each = 8 * K / 32;
        __multiply(d.x, a.x, b.x, c.x);
        __multiply(d.x + 4, a.x, b.x + each, c.x + 4);
    } else if constexpr (M == 32) {
        __multiply(d.x, a.x, b.x, c.x);
        __multiply(d.x + 4, a.x + 8, b.x, c.x + 4);
    } else if constexpr (N == 32) {
        __multiply(d.x, b.x, a.x, c.x);
        __multiply(d.x + 4, b.x + 8, a.x, c.x + 4);
    } else {
        double2 s = __matrix_f64_f64(a.x[0], b.x[0], c.x[0], c.x[1]);
        d.x[0] = s.x;
        d.x[1] = s.y;
    }
}

// The nearest number of 19 bits, halves away from zero.
__device__ inline float __float_to_tf32(float v) {
    unsigned int bits = __float_as_uint(v);
    return isfinite(v) ? __uint_as_float((bits + 0x1000u) & 0xffffe000u) : v;
}

}
}
using nvcuda::wmma::__float_to_tf32;
