// Stream compaction: each block's values that are large enough, in order from its first place on, and how many there are.

#define BLOCK 256

kernel void compact_scan(global const int *in, global int *out, global int *counts, int n, int least) {
    local int places[BLOCK];
    int t = get_local_id(0);
    int i = get_group_id(0) * BLOCK + t;
    int keep = 0;
    if (i < n && in[i] >= least) {
        keep = 1;
    }
    places[t] = keep;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int offset = 1; offset < BLOCK; offset *= 2) {
        int add = t >= offset ? places[t - offset] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        places[t] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (keep) {
        out[get_group_id(0) * BLOCK + places[t] - 1] = in[i];
    }
    if (t == BLOCK - 1) {
        counts[get_group_id(0)] = places[t];
    }
}

// Votes within each 32 work-items by bits in local memory, and then their sums.
kernel void compact_vote(global const int *in, global int *out, global int *counts, int n, int least) {
    local uint votes[BLOCK / 32];
    local int sums[BLOCK / 32];
    const int t = get_local_id(0);
    const int lane = t & 31, warp = t >> 5;
    const int i = get_group_id(0) * get_local_size(0) + t;
    const int value = i < n ? in[i] : least - 1;
    const bool keep = value >= least;
    if (lane == 0)
        votes[warp] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keep)
        atomic_or(&votes[warp], 1u << lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint vote = votes[warp];
    if (lane == 0)
        sums[warp] = popcount(vote);
    barrier(CLK_LOCAL_MEM_FENCE);
    int place = popcount(vote & ((1u << lane) - 1));
    for (int w = 0; w < warp; w++)
        place += sums[w];
    if (keep)
        out[get_group_id(0) * get_local_size(0) + place] = value;
    if (t == (int)get_local_size(0) - 1)
        counts[get_group_id(0)] = place + (keep ? 1 : 0);
}
