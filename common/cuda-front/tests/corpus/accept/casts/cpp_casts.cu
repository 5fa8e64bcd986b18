// static_cast, reinterpret_cast, const_cast and function-style casts.
__global__ void casts(float *out, const int *in, int n) {
    float a = static_cast<float>(n) / 3;
    int b = int(a) + (int)3.9f + unsigned(7);
    int *w = const_cast<int *>(in);
    unsigned bits = *reinterpret_cast<unsigned *>(&a);
    unsigned long long address = reinterpret_cast<unsigned long long>(out);
    w[0] = b;
    out[0] = a + float(bits >> 23) + (address % 4 == 0) + (float)(unsigned char)300;
}
