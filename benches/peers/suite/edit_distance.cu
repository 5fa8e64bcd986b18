// The edit distance of a pair of words per block, by anti-diagonals in shared memory.

#define LENGTH 96

// Three diagonals take turns by their number modulo 3.
__global__ void edit_distance_modulo(const unsigned char *first, const unsigned char *second, int *distance) {
    __shared__ int diagonals[3][LENGTH + 1];
    __shared__ unsigned char a[LENGTH];
    __shared__ unsigned char b[LENGTH];
    int i = threadIdx.x;
    if (i < LENGTH) {
        a[i] = first[blockIdx.x * LENGTH + i];
        b[i] = second[blockIdx.x * LENGTH + i];
    }
    __syncthreads();
    for (int d = 0; d <= 2 * LENGTH; d++) {
        int j = d - i;
        if (i <= LENGTH && j >= 0 && j <= LENGTH) {
            int best;
            if (i == 0) {
                best = j;
            } else if (j == 0) {
                best = i;
            } else {
                int changed = diagonals[(d + 1) % 3][i - 1] + (a[i - 1] != b[j - 1]);
                int removed = diagonals[(d + 2) % 3][i - 1] + 1;
                int added = diagonals[(d + 2) % 3][i] + 1;
                best = min(changed, min(removed, added));
            }
            diagonals[d % 3][i] = best;
        }
        __syncthreads();
    }
    if (i == LENGTH) {
        distance[blockIdx.x] = diagonals[(2 * LENGTH) % 3][LENGTH];
    }
}

// Pointers to three diagonals are exchanged.
__global__ void edit_distance_exchange(const unsigned char *first, const unsigned char *second, int *distance) {
    __shared__ int storage[3 * (LENGTH + 1)];
    __shared__ unsigned char words[2][LENGTH];
    const int i = threadIdx.x;
    int *before = storage;
    int *last = storage + (LENGTH + 1);
    int *next = storage + 2 * (LENGTH + 1);
    for (int k = i; k < LENGTH; k += blockDim.x) {
        words[0][k] = first[blockIdx.x * LENGTH + k];
        words[1][k] = second[blockIdx.x * LENGTH + k];
    }
    for (int d = 0; d <= 2 * LENGTH; ++d) {
        __syncthreads();
        const int low = d > LENGTH ? d - LENGTH : 0;
        const int high = d < LENGTH ? d : LENGTH;
        if (i >= low && i <= high) {
            const int j = d - i;
            if (i == 0 || j == 0) {
                next[i] = d;
            } else {
                int value = before[i - 1];
                if (words[0][i - 1] != words[1][j - 1]) {
                    value++;
                }
                value = min(value, last[i - 1] + 1);
                value = min(value, last[i] + 1);
                next[i] = value;
            }
        }
        int *oldest = before;
        before = last;
        last = next;
        next = oldest;
    }
    __syncthreads();
    if (i == 0) {
        distance[blockIdx.x] = last[LENGTH];
    }
}
