// The edit distance of a pair of words per block, by anti-diagonals in shared memory.

#define LENGTH 96

// Three diagonals take turns by their number modulo 3.
kernel void edit_distance_modulo(global const uchar *first, global const uchar *second,
                                 global int *distance) {
    local int diagonals[3][LENGTH + 1];
    local uchar a[LENGTH];
    local uchar b[LENGTH];
    int i = get_local_id(0);
    if (i < LENGTH) {
        a[i] = first[get_group_id(0) * LENGTH + i];
        b[i] = second[get_group_id(0) * LENGTH + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
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
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == LENGTH) {
        distance[get_group_id(0)] = diagonals[(2 * LENGTH) % 3][LENGTH];
    }
}

// Pointers to three diagonals are exchanged.
kernel void edit_distance_exchange(global const uchar *first, global const uchar *second,
                                   global int *distance) {
    local int storage[3 * (LENGTH + 1)];
    local uchar words[2][LENGTH];
    const int i = get_local_id(0);
    local int *before = storage;
    local int *last = storage + (LENGTH + 1);
    local int *next = storage + 2 * (LENGTH + 1);
    for (int k = i; k < LENGTH; k += get_local_size(0)) {
        words[0][k] = first[get_group_id(0) * LENGTH + k];
        words[1][k] = second[get_group_id(0) * LENGTH + k];
    }
    for (int d = 0; d <= 2 * LENGTH; ++d) {
        barrier(CLK_LOCAL_MEM_FENCE);
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
        local int *oldest = before;
        before = last;
        last = next;
        next = oldest;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        distance[get_group_id(0)] = last[LENGTH];
    }
}
