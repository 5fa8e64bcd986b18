// A copy, 16 bytes per thread.

kernel void float4_copy_typed(global const float4 *in, global float4 *out, int n) {
    int i = get_global_id(0);
    if (i < n) {
        out[i] = in[i];
    }
}

kernel void float4_copy_cast(global const float *in, global float *out, int n) {
    int i = get_global_id(0);
    if (i >= n) {
        return;
    }
    float4 value = ((global const float4 *)in)[i];
    ((global float4 *)out)[i] = value;
}
