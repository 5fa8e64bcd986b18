// Vectors from braces, as results, in arrays and in structs, and dim3.
struct Body {
    float4 position;
    float3 velocity;
};
__device__ float4 zero() { return {0.0f, 0.0f, 0.0f, 0.0f}; }
__global__ void braces(Body *b, int2 *out) {
    float4 v = {1, 2, 3, 4};
    float4 z = zero();
    float2 many[3] = {{1, 2}, {3, 4}};
    Body x = b[0];
    x.position = v;
    x.velocity = make_float3(x.position.x, many[1].y, z.w);
    b[threadIdx.x] = x;
    dim3 d(4, 2);
    uint3 t = threadIdx;
    out[0] = int2{(int)d.x, (int)d.z};
    out[1] = make_int2(t.x, blockIdx.y);
}
