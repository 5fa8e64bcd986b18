// What a core does on the same problems in plain C, with no threads or tiles of a GPU. One signature, so that they are called alike;
// the filter of the convolution is b.

// Four rows of c at a time, so that a row of b is read once for all four.
void matmul(const float *restrict a, const float *restrict b, float *restrict c, int n) {
    for (int i = 0; i < n; i += 4) {
        float *restrict c0 = c + (long)i * n;
        float *restrict c1 = c0 + n;
        float *restrict c2 = c1 + n;
        float *restrict c3 = c2 + n;
        for (int j = 0; j < 4 * n; j++) {
            c0[j] = 0.0f;
        }
        for (int p = 0; p < n; p++) {
            const float *restrict row = b + (long)p * n;
            const float *from = a + (long)i * n + p;
            const float a0 = from[0], a1 = from[n], a2 = from[2 * n], a3 = from[3 * n];
            for (int j = 0; j < n; j++) {
                c0[j] += a0 * row[j];
                c1[j] += a1 * row[j];
                c2[j] += a2 * row[j];
                c3[j] += a3 * row[j];
            }
        }
    }
}

void convolution(const float *restrict in, const float *restrict filter, float *restrict out, int n) {
    for (int y = 0; y < n; y++) {
        float *restrict to = out + (long)y * n;
        for (int x = 0; x < n; x++) {
            to[x] = 0.0f;
        }
        for (int i = -2; i <= 2; i++) {
            if (y + i < 0 || y + i >= n) {
                continue;
            }
            const float *restrict from = in + (long)(y + i) * n;
            for (int j = -2; j <= 2; j++) {
                const float weight = filter[(i + 2) * 5 + j + 2];
                const int begin = j < 0 ? -j : 0;
                const int end = j > 0 ? n - j : n;
                for (int x = begin; x < end; x++) {
                    to[x] += weight * from[x + j];
                }
            }
        }
    }
}

void transpose(const float *restrict in, const float *restrict unused, float *restrict out, int n) {
    (void)unused;
    for (int y0 = 0; y0 < n; y0 += 32) {
        for (int x0 = 0; x0 < n; x0 += 32) {
            for (int x = x0; x < x0 + 32; x++) {
                for (int y = y0; y < y0 + 32; y++) {
                    out[(long)x * n + y] = in[(long)y * n + x];
                }
            }
        }
    }
}
