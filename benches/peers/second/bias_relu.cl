// A layer's bias by channel, and then ReLU, in place; images x channels x area.

kernel void bias_relu_stride(global float *data, global const float *bias, int images, int channels, int area) {
    int total = images * channels * area;
    for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < total; i += get_local_size(0) * get_num_groups(0)) {
        float value = data[i] + bias[i / area % channels];
        data[i] = value > 0.0f ? value : 0.0f;
    }
}

// A block's y is the channel and its z the image.
kernel void bias_relu_3d(global float *data, global const float *bias, int images, int channels, int area) {
    const unsigned int cell = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (cell >= (unsigned int)area)
        return;
    global float *at = data + ((size_t)get_group_id(2) * channels + get_group_id(1)) * area + cell;
    *at = fmax(*at + bias[get_group_id(1)], 0.0f);
}
