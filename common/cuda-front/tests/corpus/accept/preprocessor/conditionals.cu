// #if with arithmetic, defined, #elif, nesting and #undef.
#define LEVEL 2
#if defined(LEVEL) && LEVEL > 1
#define SCALE 4
#elif LEVEL == 1
#define SCALE 2
#else
#error "no level"
#endif

#ifdef UNKNOWN
this text is skipped
#if 1
and so is this
#endif
#endif

#ifndef SCALE
#error "scale is missing"
#endif

#undef LEVEL
#if LEVEL
#error "LEVEL is gone, so it counts as 0"
#endif

__global__ void scale(float *x) { x[threadIdx.x] *= SCALE; }
