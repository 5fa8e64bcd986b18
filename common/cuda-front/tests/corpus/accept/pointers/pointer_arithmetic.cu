// Offsets, differences, comparison and indexing the other way round.
__global__ void arithmetic(int *out, int *first, int *last, int n) {
    int *p = first + n / 2;
    out[0] = p - first;
    out[1] = *(p + 1) + p[-1] + 2 [first];
    if (p < last && p >= first && p != last) p += 2;
    p = last - 1;
    out[2] = (int)(last - first);
    while (p != first) *p-- = 0;
}
