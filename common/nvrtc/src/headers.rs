//! Stand-ins for headers of the standard libraries, which NVRTC does not have, as far as kernels need them.

/// Name and text of each.
pub const HEADERS: &[(&str, &str)] = &[
    ("assert.h", ""),
    ("cassert", ""),
    ("stdio.h", ""),
    ("cstdio", ""),
    ("cmath", MATH),
    ("math.h", MATH),
    ("float.h", FLOAT),
    ("cfloat", FLOAT),
    ("limits.h", LIMITS),
    ("climits", LIMITS),
    ("stdint.h", STDINT),
    ("cstdint", STDINT),
    ("stdlib.h", "typedef unsigned int uint;\n"),
    ("cstdlib", "typedef unsigned int uint;\n"),
];
const MATH: &str =
    "#define INFINITY (__int_as_float(0x7f800000))\n#define NAN (__int_as_float(0x7fffffff))\n";
const FLOAT: &str = "#define FLT_MAX 3.402823466e+38F\n#define FLT_MIN 1.175494351e-38F\n\
    #define FLT_EPSILON 1.192092896e-07F\n#define DBL_MAX 1.7976931348623158e+308\n";
const LIMITS: &str = "#define CHAR_BIT 8\n#define INT_MAX 2147483647\n#define INT_MIN (-2147483647 - 1)\n";
const STDINT: &str = "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;\n\
    typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;\n\
    typedef unsigned long uint64_t; typedef unsigned long uintptr_t;\n";
