// A layer's bias by channel, and then ReLU, in place; images x channels x area.

__global__ void bias_relu_stride(float *data, const float *bias, int images, int channels, int area) {
    int total = images * channels * area;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
        float value = data[i] + bias[i / area % channels];
        data[i] = value > 0.0f ? value : 0.0f;
    }
}

// A block's y is the channel and its z the image.
__global__ void bias_relu_3d(float *data, const float *bias, int images, int channels, int area) {
    const unsigned int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= (unsigned int)area)
        return;
    float *at = data + ((size_t)blockIdx.z * channels + blockIdx.y) * area + cell;
    *at = fmaxf(*at + bias[blockIdx.y], 0.0f);
}
