// Merging two sorted arrays, each thread from its own diagonal.
__device__ int merge_path(const int *a, int na, const int *b, int nb, int diagonal) {
    int lo = max(0, diagonal - nb), hi = min(diagonal, na);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid] <= b[diagonal - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}
__global__ void merge(int *out, const int *a, int na, const int *b, int nb, int each) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each, last = min(first + each, na + nb);
    if (first >= na + nb) return;
    int i = merge_path(a, na, b, nb, first), j = first - i;
    for (int k = first; k < last; ++k) out[k] = (j >= nb || (i < na && a[i] <= b[j])) ? a[i++] : b[j++];
}
