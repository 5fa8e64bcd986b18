// Dynamic programming along anti-diagonals with three rows that take turns.
#define MAX_LEN 128
__global__ void distance(const char *a, int na, const char *b, int nb, int *out) {
    __shared__ int rows[3][MAX_LEN + 1];
    int *older = rows[0], *old = rows[1], *now = rows[2];
    const int t = threadIdx.x;
    for (int d = 0; d <= na + nb; ++d) {
        const int i = t, j = d - t;
        if (i <= na && j >= 0 && j <= nb) {
            if (i == 0 || j == 0) now[i] = i + j;
            else {
                int best = old[i - 1] + 1;
                if (old[i] + 1 < best) best = old[i] + 1;
                if (older[i - 1] + (a[i - 1] != b[j - 1]) < best) best = older[i - 1] + (a[i - 1] != b[j - 1]);
                now[i] = best;
            }
            if (i == na && j == nb) *out = now[i];
        }
        __syncthreads();
        int *tmp = older;
        older = old, old = now, now = tmp;
    }
}
