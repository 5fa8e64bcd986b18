// break and continue in nested loops, early return from the middle.
__global__ void nested(int *out, const int *in, int n) {
    int found = -1;
    for (int i = 0; i < n; i++) {
        if (in[i] == 0) continue;
        int j = i;
        while (true) {
            if (j >= n) break;
            if (in[j] == 42) {
                found = j;
                break;
            }
            if (in[j] < 0) {
                out[0] = -2;
                return;
            }
            j++;
        }
        if (found >= 0) break;
    }
    out[0] = found;
}
