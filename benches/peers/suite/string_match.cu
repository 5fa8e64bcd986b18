// Where a pattern begins in a text.

__global__ void string_match_break(const unsigned char *text, const unsigned char *pattern, unsigned char *found, int n,
                                   int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n - length) {
        bool equal = true;
        for (int k = 0; k < length; k++) {
            if (text[i + k] != pattern[k]) {
                equal = false;
                break;
            }
        }
        found[i] = equal ? 1 : 0;
    } else if (i < n) {
        found[i] = 0;
    }
}

__global__ void string_match_while(const unsigned char *text, const unsigned char *pattern, unsigned char *found, int n,
                                   int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    int k = 0;
    while (k < length && i + k < n && text[i + k] == pattern[k]) {
        k++;
    }
    found[i] = k == length;
}
