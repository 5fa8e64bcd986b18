// Sorts each block's 256 numbers in shared memory by odd-even transposition.

#define LENGTH 256

// A thread per pair.
kernel void odd_even_sort_pairs(global const int *in, global int *out) {
    local int keys[LENGTH];
    int t = get_local_id(0);
    int first = get_group_id(0) * LENGTH;
    keys[2 * t] = in[first + 2 * t];
    keys[2 * t + 1] = in[first + 2 * t + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int phase = 0; phase < LENGTH; phase++) {
        int i = 2 * t + (phase & 1);
        if (i + 1 < LENGTH && keys[i] > keys[i + 1]) {
            int temp = keys[i];
            keys[i] = keys[i + 1];
            keys[i + 1] = temp;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[first + 2 * t] = keys[2 * t];
    out[first + 2 * t + 1] = keys[2 * t + 1];
}

// A thread per element, of which every second one compares.
kernel void odd_even_sort_elements(global const int *in, global int *out) {
    local int keys[LENGTH];
    const int i = get_local_id(0);
    keys[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int phase = 0; phase < LENGTH; ++phase) {
        if (i % 2 == phase % 2 && i < LENGTH - 1) {
            const int low = min(keys[i], keys[i + 1]);
            const int high = max(keys[i], keys[i + 1]);
            keys[i] = low;
            keys[i + 1] = high;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = keys[i];
}
