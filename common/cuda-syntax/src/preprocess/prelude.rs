//! Macros that nvcc and the headers define, for a device of compute capability 9.0.

use super::macros::Macro;
use crate::word::Table;
use source::FileId;
use std::sync::{Arc, OnceLock};

/// What reading [`TEXT`] gives.
pub(crate) struct Read {
    /// The file that the definitions' places are in.
    pub(crate) file: FileId,
    pub(crate) macros: Table<Arc<Macro>>,
    /// What reading it was charged.
    pub(crate) work: u64,
}

/// The first reading in this process: the text is the same for every file.
pub(crate) static READ: OnceLock<Read> = OnceLock::new();

/// Read before every file. A user's own definition replaces any of these without a warning.
pub(crate) const TEXT: &str = "\
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#define __CUDA_ARCH_LIST__ 900
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 93
#define __CUDA_API_VER_MAJOR__ 12
#define __CUDA_API_VER_MINOR__ 8
#define __NVCC_DIAG_PRAGMA_SUPPORT__ 1
#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080
#define __cplusplus 201703L
#define __STDC_HOSTED__ 1
#define __x86_64__ 1
#define __LP64__ 1
#define __linux__ 1
#define __const__ const
#define __CHAR_BIT__ 8
#define __DATE__ \"Jan  1 2000\"
#define __TIME__ \"00:00:00\"
#define NULL nullptr
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807L - 1L)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615uL
#define LLONG_MIN (-9223372036854775807LL - 1LL)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615uLL
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807L - 1L)
#define INT64_MAX 9223372036854775807L
#define UINT64_MAX 18446744073709551615uL
#define SIZE_MAX 18446744073709551615uL
#define INT8_C(c) c
#define INT16_C(c) c
#define INT32_C(c) c
#define INT64_C(c) c##L
#define UINT8_C(c) c
#define UINT16_C(c) c
#define UINT32_C(c) c##U
#define UINT64_C(c) c##UL
#define INTMAX_C(c) c##L
#define UINTMAX_C(c) c##UL
#define PRId8 \"d\"
#define PRIi8 \"i\"
#define PRIo8 \"o\"
#define PRIu8 \"u\"
#define PRIx8 \"x\"
#define PRIX8 \"X\"
#define PRId16 \"d\"
#define PRIi16 \"i\"
#define PRIo16 \"o\"
#define PRIu16 \"u\"
#define PRIx16 \"x\"
#define PRIX16 \"X\"
#define PRId32 \"d\"
#define PRIi32 \"i\"
#define PRIo32 \"o\"
#define PRIu32 \"u\"
#define PRIx32 \"x\"
#define PRIX32 \"X\"
#define PRId64 \"ld\"
#define PRIi64 \"li\"
#define PRIo64 \"lo\"
#define PRIu64 \"lu\"
#define PRIx64 \"lx\"
#define PRIX64 \"lX\"
#define PRIdPTR \"ld\"
#define PRIdMAX \"ld\"
#define PRIiPTR \"li\"
#define PRIiMAX \"li\"
#define PRIoPTR \"lo\"
#define PRIoMAX \"lo\"
#define PRIuPTR \"lu\"
#define PRIuMAX \"lu\"
#define PRIxPTR \"lx\"
#define PRIxMAX \"lx\"
#define PRIXPTR \"lX\"
#define PRIXMAX \"lX\"
#define offsetof(type, member) __builtin_offsetof(type, member)
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MAX 3.40282347e+38f
#define FLT_MIN 1.17549435e-38f
#define FLT_EPSILON 1.19209290e-7f
#define FLT_TRUE_MIN 1.40129846e-45f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define HUGE_VALF 1e300f
#define HUGE_VAL ((double)1e300f)
#define INFINITY 1e300f
#define NAN __int_as_float(0x7fffffff)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define CUDART_INF_F 1e300f
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_MAX_NORMAL_F 3.4028234664e+38f
#define CUDART_MIN_DENORM_F 1.4012984643e-45f
#define CUDART_ZERO_F 0.0f
#define CUDART_ONE_F 1.0f
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_PI_F 3.141592654f
#define CUDART_PIO2_F 1.570796327f
#define CUDART_PIO4_F 0.785398163f
#define CUDART_2OVERPI_F 0.636619772f
#define CUDART_LN2_F 0.693147181f
#define CUDART_L2E_F 1.442695041f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_INF ((double)1e300f)
";
