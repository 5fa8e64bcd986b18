//! Stand-ins for headers of the standard libraries, which NVRTC does not have, as far as kernels need them. What is made of templates
//! is that of `cuda::std`, whose headers (CCCL) come with the toolkit.

/// What every stand-in of C++ begins with; files that name `std::` have it without an `#include`, as `nvcc` brings it with its own headers.
pub(crate) const STD: &str = "warplab/std.h";

/// Name and text of each.
pub const HEADERS: &[(&str, &str)] = &[
    (STD, include_str!("../headers/std.h")),
    ("algorithm", INCLUDE_STD),
    ("assert.h", ""),
    ("cassert", ""),
    ("stdio.h", ""),
    ("cstdio", INCLUDE_STD),
    ("compare", COMPARE),
    ("concepts", CONCEPTS),
    ("cmath", MATH),
    ("math.h", MATH),
    ("float.h", FLOAT),
    ("cfloat", FLOAT),
    ("limits", LIMITS_OF_TYPES),
    ("limits.h", LIMITS),
    ("climits", LIMITS),
    ("stddef.h", INCLUDE_STD),
    ("cstddef", INCLUDE_STD),
    ("stdint.h", INCLUDE_STD),
    ("cstdint", INCLUDE_STD),
    ("stdlib.h", STDLIB),
    ("cstdlib", STDLIB),
    ("string.h", INCLUDE_STD),
    ("cstring", INCLUDE_STD),
    ("tuple", TUPLE),
    ("type_traits", TYPE_TRAITS),
    ("utility", UTILITY),
];

const INCLUDE_STD: &str = "#include <warplab/std.h>\n";
const MATH: &str = "#include <warplab/std.h>\n\
    #define INFINITY (__int_as_float(0x7f800000))\n#define NAN (__int_as_float(0x7fffffff))\n\
    #define M_PI 3.14159265358979323846\n";
const FLOAT: &str = "#define FLT_MAX 3.402823466e+38F\n#define FLT_MIN 1.175494351e-38F\n\
    #define FLT_EPSILON 1.192092896e-07F\n#define DBL_MAX 1.7976931348623157e+308\n";
const LIMITS: &str = "#define CHAR_BIT 8\n#define INT_MAX 2147483647\n#define INT_MIN (-2147483647 - 1)\n\
    #define UINT_MAX 4294967295u\n";
const STDLIB: &str = "#include <warplab/std.h>\ntypedef unsigned int uint;\n";

/// A header whose content is that of `cuda::std`.
macro_rules! of_cuda {
    ($name:literal) => {
        concat!(
            "#include <warplab/std.h>\n#if __has_include(<cuda/std/",
            $name,
            ">)\n#include <cuda/std/",
            $name,
            ">\nnamespace std { using namespace ::cuda::std; }\n#else\n#error \"<",
            $name,
            "> on a GPU needs CUDA's C++ headers (CCCL): install the toolkit, or `pip install nvidia-cuda-cccl`\"\n#endif\n"
        )
    };
}
const LIMITS_OF_TYPES: &str = of_cuda!("limits");
const CONCEPTS: &str = of_cuda!("concepts");
/// The compiler itself looks for these types in `std`.
const COMPARE: &str = concat!(
    "#include <type_traits>\n#include <utility>\n",
    include_str!("../../cuda-syntax/headers/compare.h")
);
const TUPLE: &str = of_cuda!("tuple");
const TYPE_TRAITS: &str = of_cuda!("type_traits");
const UTILITY: &str = of_cuda!("utility");
