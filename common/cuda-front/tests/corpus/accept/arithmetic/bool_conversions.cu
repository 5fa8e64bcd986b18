// bool from numbers and pointers, and back.
__global__ void bools(int *out, const float *p, float x, int n) {
    bool a = n;
    bool b = x;
    bool c = p;
    out[0] = a + b + c;
    out[1] += true;
    if (p) out[2] = a == true;
    while (n) --n;
    out[3] = n ? 1 : 0;
    bool flags = a | b;
    flags &= c;
    out[4] = flags;
}
