// Thrust's complex numbers. Quotients and powers may be rounded in another way than Thrust's.
#pragma once
#include <cuda/std/complex>
namespace thrust {
using cuda::std::complex;
using cuda::std::abs;
using cuda::std::arg;
using cuda::std::conj;
using cuda::std::exp;
using cuda::std::norm;
using cuda::std::polar;
}
