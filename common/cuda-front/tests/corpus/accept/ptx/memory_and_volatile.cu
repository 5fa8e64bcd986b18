// Inline PTX with volatile, memory clobbers, several statements and operands of each kind.
__global__ void ptx(float *out, const float *in) {
    float v;
    double d = 1.0;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(in + threadIdx.x) : "memory");
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "setp.gt.f32 p, %0, 0f00000000;\n\t"
                 "@p mul.f32 %0, %0, %1;\n\t"
                 "}"
                 : "+f"(v)
                 : "f"(2.0f));
    asm("add.f64 %0, %0, %1;" : "+d"(d) : "d"(2.0));
    asm volatile("membar.gl;");
    out[threadIdx.x] = v + (float)d;
}
