// Textures of every shape, and both forms of each read.
__global__ void shapes(float *out, cudaTextureObject_t t, int layer) {
    float4 wide = tex2D<float4>(t, 0.5f, 1.5f);
    float one, sum = wide.x + wide.w;
    tex1D(&one, t, 0.5f);
    sum += one + tex1Dfetch<float>(t, layer) + tex3D<float>(t, 0.5f, 1.5f, 2.5f);
    tex2D(&wide, t, 1.0f, 2.0f);
    sum += tex1DLayered<float>(t, 0.5f, layer) + tex2DLayered<float>(t, 0.5f, 0.5f, layer) + wide.y;
    sum += texCubemap<float>(t, 1.0f, 0.0f, 0.0f) + texCubemapLayered<float>(t, 1.0f, 0.0f, 0.0f, layer);
    sum += tex2DLod<float>(t, 0.5f, 0.5f, 1.0f) + tex3DLod<float>(t, 0.5f, 0.5f, 0.5f, 0.0f);
    sum += tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(1.0f, 0.0f), make_float2(0.0f, 1.0f));
    sum += tex1DLayeredLod<float>(t, 0.5f, layer, 0.0f) + tex1DGrad<float>(t, 0.5f, 1.0f, 1.0f);
    float4 around = tex2Dgather<float4>(t, 1.0f, 1.0f, 2);
    uchar4 bytes = tex2D<uchar4>(t, 0.5f, 0.5f);
    out[0] = sum + around.z + bytes.x;
}
