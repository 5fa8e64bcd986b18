// && and || stop early; their values are bools that convert to int; alternative spellings.
__global__ void logic(int *out, const int *p, int n) {
    if (p != nullptr && p[0] > 0 || n == 0) out[0] = 1;
    out[1] = (n > 3) + (n > 4);
    out[2] = !n;
    out[3] = !!n;
    bool both = n > 1 && n < 5;
    out[4] = both;
    if (not both and n or p) out[5] = 1;
}
