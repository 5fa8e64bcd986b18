// A step of a radix-2 Fourier transform: butterflies of elements `half_size` apart.

kernel void fft_step_modulo(global const float *re, global const float *im, global float *re_out,
                            global float *im_out, int half_size) {
    int t = get_global_id(0);
    int k = t % half_size;
    int i = t / half_size * half_size * 2 + k;
    int j = i + half_size;
    float angle = -3.14159265358979f * k / half_size;
    float c = cos(angle);
    float s = sin(angle);
    float x = re[j] * c - im[j] * s;
    float y = re[j] * s + im[j] * c;
    re_out[i] = re[i] + x;
    im_out[i] = im[i] + y;
    re_out[j] = re[i] - x;
    im_out[j] = im[i] - y;
}

// The same for powers of two by bit operations.
kernel void fft_step_bits(global const float *re, global const float *im, global float *re_out, global float *im_out,
                          int half_size) {
    const uint t = get_global_id(0);
    const uint k = t & (half_size - 1);
    const uint i = ((t - k) << 1) | k;
    const float angle = (float)k * (-3.14159265358979f / half_size);
    const float wr = cos(angle), wi = sin(angle);
    global const float *upper_re = re + i + half_size;
    global const float *upper_im = im + i + half_size;
    const float x = wr * *upper_re - wi * *upper_im;
    const float y = wi * *upper_re + wr * *upper_im;
    const float a = re[i];
    const float b = im[i];
    re_out[i + half_size] = a - x;
    im_out[i + half_size] = b - y;
    re_out[i] = a + x;
    im_out[i] = b + y;
}
