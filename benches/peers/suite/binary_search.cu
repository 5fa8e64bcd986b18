// How many numbers of a sorted array are below each key.

__global__ void binary_search_bounds(const int *sorted, const int *keys, int *below, int n, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int low = 0;
        int high = length;
        while (low < high) {
            int middle = (low + high) / 2;
            if (sorted[middle] < keys[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        below[i] = low;
    }
}

// A first element and a count, as std::lower_bound does.
__global__ void binary_search_count(const int *sorted, const int *keys, int *below, int n, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const int key = keys[i];
    const int *first = sorted;
    int count = length;
    while (count > 0) {
        const int step = count >> 1;
        if (*(first + step) < key) {
            first += step + 1;
            count -= step + 1;
        } else {
            count = step;
        }
    }
    below[i] = first - sorted;
}
