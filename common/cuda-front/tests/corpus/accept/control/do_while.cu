// do-while, with break and continue within.
__global__ void loops(int *out, int n) {
    int i = 0, s = 0;
    do {
        i++;
        if (i == 3) continue;
        if (i > 20) break;
        s += i;
    } while (i < n);
    do s--; while (s > 100);
    out[0] = s;
}
