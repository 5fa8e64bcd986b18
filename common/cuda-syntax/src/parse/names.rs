//! Words with a meaning of their own: keywords, and what CUDA's and C++'s headers declare.

use crate::word::Word;
use source::words;

/// Keywords that are types or build one.
pub(crate) const FUNDAMENTAL: &[&str] = words!(
    "void bool char short int long float double signed unsigned auto wchar_t char16_t char32_t __int128"
);

/// Whether a word can never be a name.
pub fn is_keyword(word: &str) -> bool {
    looks_like_keyword(word) && (FUNDAMENTAL.contains(&word) || KEYWORDS.binary_search(&word).is_ok())
}

/// Whether a word can only be a name, and need not be compared with words that mean something: most are told from those by their
/// first letters.
pub(crate) fn is_name(word: &Word) -> bool {
    !word.is_keyword() && !word.starts_with("__") && !matches!(word.as_str(), "constinit" | "co_await")
}

/// Whether some keyword has the word's first letter and length: most names are told by that.
fn looks_like_keyword(word: &str) -> bool {
    let lengths = word.bytes().next().map_or(0, |first| SHAPES[first as usize & 127]);
    word.len() < 32 && lengths >> word.len() & 1 == 1
}

/// For each first letter, a bit for each length of a keyword.
const SHAPES: [u32; 128] = shapes([FUNDAMENTAL, KEYWORDS]);

const fn shapes(lists: [&[&str]; 2]) -> [u32; 128] {
    let mut shapes = [0; 128];
    let mut list = 0;
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            let word = lists[list][at].as_bytes();
            shapes[word[0] as usize & 127] |= 1 << word.len();
            at += 1;
        }
        list += 1;
    }
    shapes
}

/// Sorted by bytes.
const KEYWORDS: &[&str] = words!(
    "__align__ __asm__ __attribute__ __cluster_dims__ __constant__ __device__ __forceinline__ __global__
     __grid_constant__ __host__ __inline__ __launch_bounds__ __managed__ __maxnreg__ __noinline__ __restrict
     __restrict__ __shared__ __typeof __typeof__ __underlying_type alignas alignof asm break case catch class const const_cast consteval constexpr
     continue decltype default delete do dynamic_cast else enum explicit extern false for friend goto if
     inline mutable namespace new noexcept nullptr operator private protected public register
     reinterpret_cast return sizeof static static_assert static_cast struct switch template this
     thread_local throw true try typedef typeid typename typeof union using virtual volatile while"
);

pub(crate) const BUILT_IN_TYPES: &[&str] = words!(
    "dim3 size_t ssize_t __int128_t __uint128_t ptrdiff_t nullptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t
     uint64_t intptr_t uintptr_t intmax_t uintmax_t uint ushort ulong uchar clock_t time_t va_list FILE
     char8_t cudaTextureObject_t cudaSurfaceObject_t cudaStream_t cudaEvent_t
     cudaArray cudaArray_t cudaArray_const_t cudaMipmappedArray_t cudaGraph_t cudaGraphExec_t
     cudaGraphNode_t cudaDeviceProp cudaResourceDesc cudaTextureDesc cudaResourceViewDesc
     cudaChannelFormatDesc cudaMemcpy3DParms cudaExtent cudaPos cudaPitchedPtr
     cudaFuncAttributes cudaLaunchConfig_t cudaLaunchAttribute cudaMemLocation cudaMemPool_t
     cudaPointerAttributes textureReference CUresult CUdevice CUcontext CUmodule CUfunction CUdeviceptr
     CUstream CUevent half __half half2 __half2 nv_bfloat16 __nv_bfloat16 nv_bfloat162 __nv_bfloat162
     __nv_fp8_e4m3 __nv_fp8_e5m2"
);

/// Functions of CUDA that take template arguments.
pub(crate) const BUILT_IN_TEMPLATES: &[&str] = words!(
    "tex1D tex2D tex3D tex1Dfetch tex1DLayered tex2DLayered tex1DLod tex2DLod tex3DLod tex1DGrad tex2DGrad
     tex3DGrad tex2Dgather texCubemap texCubemapLayered surf1Dread surf1Dwrite surf2Dread surf2Dwrite
     surf3Dread surf3Dwrite surf2DLayeredread surf2DLayeredwrite min max __ldg __shfl_sync __shfl_up_sync
     __shfl_down_sync __shfl_xor_sync"
);

/// A namespace's name, types, class templates, and function and variable templates.
pub(crate) type Namespace =
    (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

/// Namespaces of the headers: name, types, class templates, function and variable templates.
pub(crate) const NAMESPACES: &[Namespace] = &[
    (
        "std",
        words!(
            "size_t ptrdiff_t nullptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
             intptr_t uintptr_t byte true_type false_type"
        ),
        words!(
            "is_same is_integral is_floating_point is_arithmetic is_signed is_unsigned is_pointer is_const
             conditional conditional_t enable_if enable_if_t remove_reference remove_reference_t
             remove_const remove_const_t remove_cv remove_cv_t decay decay_t make_unsigned make_unsigned_t
             make_signed make_signed_t integral_constant bool_constant numeric_limits array pair tuple
             integer_sequence index_sequence make_index_sequence make_integer_sequence
             index_sequence_for void_t common_type common_type_t underlying_type
             underlying_type_t"
        ),
        words!(
            "min max swap move forward abs clamp is_same_v is_integral_v is_floating_point_v is_arithmetic_v
             is_signed_v is_unsigned_v is_pointer_v is_const_v get make_pair make_tuple"
        ),
    ),
    (
        "cooperative_groups",
        words!("thread_block thread_group grid_group cluster_group coalesced_group multi_grid_group"),
        words!("thread_block_tile plus less greater bit_and bit_or bit_xor"),
        words!("tiled_partition reduce memcpy_async wait wait_prior exclusive_scan inclusive_scan"),
    ),
    (
        "cuda",
        words!("thread_scope"),
        words!("pipeline barrier atomic atomic_ref pipeline_shared_state aligned_size_t"),
        words!("memcpy_async make_pipeline pipeline_consumer_wait_prior ceil_div"),
    ),
    (
        "cuda::std",
        words!("size_t int32_t uint32_t int64_t uint64_t"),
        words!(
            "array numeric_limits is_same tuple pair integer_sequence index_sequence make_index_sequence
             make_integer_sequence index_sequence_for"
        ),
        words!("min max is_same_v swap"),
    ),
    (
        "nvcuda::wmma",
        words!("row_major col_major matrix_a matrix_b accumulator layout_t"),
        words!("fragment"),
        words!("load_matrix_sync store_matrix_sync mma_sync fill_fragment"),
    ),
];

/// Types of the standard library that device code can have, with `--expt-relaxed-constexpr` at the latest.
pub(crate) const OTHER_STANDARD: &[&str] = words!(
    "initializer_list tuple_size tuple_element reference_wrapper ratio optional variant monostate span
     string_view complex bitset nullopt_t in_place_t plus minus multiplies divides modulus negate less
     greater less_equal greater_equal equal_to not_equal_to logical_and logical_or logical_not bit_and
     bit_or bit_xor bit_not hash type_identity conjunction disjunction negation is_invocable
     invoke_result invoke_result_t is_convertible is_base_of"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_for_the_search() {
        assert!(KEYWORDS.is_sorted());
    }
}
