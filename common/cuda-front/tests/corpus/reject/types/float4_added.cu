// + of float4 has to be written by the user.
__global__ void k(float4 *out, float4 a) {
    out[0] = a + a; // ERROR
}
