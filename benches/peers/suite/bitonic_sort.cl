// Sorts each block's 512 numbers in shared memory by a bitonic network.

#define LENGTH 512

// A thread compares one pair, as in the NVIDIA sample.
kernel void bitonic_sort_pairs(global const int *in, global int *out) {
    local int keys[LENGTH];
    int t = get_local_id(0);
    int first = get_group_id(0) * LENGTH;
    keys[t] = in[first + t];
    keys[t + LENGTH / 2] = in[first + t + LENGTH / 2];
    for (int size = 2; size <= LENGTH; size <<= 1) {
        bool ascending = (t & (size / 2)) == 0;
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int pos = 2 * t - (t & (stride - 1));
            int a = keys[pos];
            int b = keys[pos + stride];
            if ((a > b) == ascending) {
                keys[pos] = b;
                keys[pos + stride] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + t] = keys[t];
    out[first + t + LENGTH / 2] = keys[t + LENGTH / 2];
}

// A thread per element; the one with the lower index compares.
kernel void bitonic_sort_elements(global const int *in, global int *out) {
    local int keys[LENGTH];
    const int i = get_local_id(0);
    keys[i] = in[get_group_id(0) * LENGTH + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 2; k <= LENGTH; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            int other = i ^ j;
            if (other > i) {
                if ((i & k) == 0) {
                    if (keys[i] > keys[other]) {
                        int temp = keys[i];
                        keys[i] = keys[other];
                        keys[other] = temp;
                    }
                } else {
                    if (keys[i] < keys[other]) {
                        int temp = keys[i];
                        keys[i] = keys[other];
                        keys[other] = temp;
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[get_group_id(0) * LENGTH + i] = keys[i];
}
