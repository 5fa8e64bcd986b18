__global__ void k(float *out, int n) {
    if (n) goto end; // ERROR
    float4 value = make_float4(1, 2, 3, 4);
    out[0] = value.x;
end:
    out[1] = 2;
}
