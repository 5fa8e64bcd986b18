// Every part of a for may be missing; several variables; steps of any kind.
__global__ void forms(int *out, int n) {
    int s = 0;
    for (;;) {
        if (s++ > 3) break;
    }
    int i = 0;
    for (; i < n;) i += 2;
    for (int a = 0, b = n; a < b; a++, --b) s += b;
    for (int k = n; k > 0; k >>= 1) s ^= k;
    for (int k = n; k--;) s += k;
    for (unsigned k = 1; k < 1000; k *= 3) s++;
    for (float x = 0.0f; x < 1.0f; x += 0.25f) s++;
    out[0] = s + i;
}
