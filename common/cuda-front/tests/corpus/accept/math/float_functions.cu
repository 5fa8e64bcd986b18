// Single-precision functions.
__global__ void floats(float *o, float x, float y) {
    int i = 0;
    o[i++] = sqrtf(x) + rsqrtf(x) + cbrtf(x);
    o[i++] = expf(x) + exp2f(x) + exp10f(x) + expm1f(x);
    o[i++] = logf(x) + log2f(x) + log10f(x) + log1pf(x);
    o[i++] = sinf(x) + cosf(x) + tanf(x) + sinpif(x) + cospif(x);
    o[i++] = asinf(x) + acosf(x) + atanf(x) + atan2f(y, x);
    o[i++] = sinhf(x) + coshf(x) + tanhf(x);
    o[i++] = powf(x, y) + hypotf(x, y) + fmodf(x, y);
    o[i++] = floorf(x) + ceilf(x) + truncf(x) + roundf(x) + rintf(x) + nearbyintf(x);
    o[i++] = fabsf(x) + fminf(x, y) + fmaxf(x, y) + fdimf(x, y) + copysignf(x, y);
    o[i++] = fmaf(x, y, 1.0f) + erff(x) + erfcf(x);
    o[i++] = isnan(x) + isinf(x) + isfinite(x) + signbit(x);
    float s, c;
    sincosf(x, &s, &c);
    o[i++] = s + c;
}
