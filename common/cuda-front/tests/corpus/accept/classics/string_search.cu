// Naive search of a pattern of constant memory in a text.
__constant__ char pattern[64];
__global__ void find(const char *text, int n, int length, int *first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n) return;
    int k = 0;
    for (; k < length; ++k)
        if (text[i + k] != pattern[k]) break;
    if (k == length) atomicMin(first, i);
}
