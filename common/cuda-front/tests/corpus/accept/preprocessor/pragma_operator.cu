// _Pragma inside a macro.
#define UNROLL(n) _Pragma("unroll")
__global__ void unrolled(float *out, const float *in) {
    float s = 0.f;
    UNROLL(4)
    for (int i = 0; i < 4; i++) s += in[i];
    out[threadIdx.x] = s;
}
