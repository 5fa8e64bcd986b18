// Recursion: one function, and a search in a sorted array.
__device__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
__device__ int search(const int *p, int lo, int hi, int key) {
    if (lo >= hi) return -1;
    int mid = lo + (hi - lo) / 2;
    if (p[mid] == key) return mid;
    return p[mid] < key ? search(p, mid + 1, hi, key) : search(p, lo, mid, key);
}
__global__ void recurse(int *out, const int *sorted, int n) {
    out[threadIdx.x] = search(sorted, 0, n, threadIdx.x) + factorial(threadIdx.x % 10);
}
