// CUDA's complex numbers.
#include <cuComplex.h>

__global__ void k(cuFloatComplex *z, cuDoubleComplex *w, float *out) {
    cuFloatComplex a = z[0], b = make_cuFloatComplex(1.0f, -2.0f);
    z[1] = cuCaddf(cuCmulf(a, b), cuConjf(cuCsubf(a, b)));
    z[2] = cuCdivf(a, cuCfmaf(a, b, b));
    out[0] = cuCabsf(a) + cuCrealf(b) + cuCimagf(b);
    w[0] = cuCmul(make_cuDoubleComplex(1.0, 2.0), cuComplexFloatToDouble(a));
    out[1] = cuCabs(w[0]);
    cuComplex c = cuComplexDoubleToFloat(w[0]);
    z[3] = c;
}
