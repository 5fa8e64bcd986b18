// Cheapest paths through rows of costs, from each cell to one of three above it: several rows per launch, with halos that shrink.

#define WINDOW 256

kernel void pathfinder_flags(global const int *wall, global const int *first, local int *paths, global int *out,
                             int columns, int steps) {
    local int *before = paths;
    local int *after = paths + WINDOW;
    int tx = get_local_id(0);
    int useful = WINDOW - 2 * steps;
    int x = (int)get_group_id(0) * useful - steps + tx;
    bool valid = x >= 0 && x < columns;
    if (valid) {
        before[tx] = first[x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (valid && tx >= i + 1 && tx <= WINDOW - i - 2) {
            computed = true;
            int west = x == 0 ? tx : tx - 1;
            int east = x == columns - 1 ? tx : tx + 1;
            int shortest = min(before[tx], min(before[west], before[east]));
            after[tx] = shortest + wall[i * columns + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == steps - 1) {
            break;
        }
        if (computed) {
            before[tx] = after[tx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed) {
        out[x] = after[tx];
    }
}

// Half as many threads in turns, and buffers that change places.
kernel void pathfinder_turns(global const int *wall, global const int *first, local int *paths, global int *out,
                             int columns, int steps) {
    const int left = (int)get_group_id(0) * (WINDOW - 2 * steps) - steps;
    for (int i = get_local_id(0); i < WINDOW; i += get_local_size(0)) {
        paths[i] = first[min(max(left + i, 0), columns - 1)];
    }
    int from = 0;
    int step = 0;
    while (step < steps) {
        barrier(CLK_LOCAL_MEM_FENCE);
        local const int *old = paths + from * WINDOW;
        local int *next = paths + (from ^ 1) * WINDOW;
        for (int i = get_local_id(0); i < WINDOW; i += get_local_size(0)) {
            const int x = left + i;
            if (i > step && i < WINDOW - 1 - step && x >= 0 && x < columns) {
                int best = old[i];
                if (x > 0 && old[i - 1] < best)
                    best = old[i - 1];
                if (x < columns - 1 && old[i + 1] < best)
                    best = old[i + 1];
                next[i] = best + wall[step * columns + x];
            }
        }
        from ^= 1;
        step++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = steps + get_local_id(0); i < WINDOW - steps; i += get_local_size(0)) {
        if (left + i < columns) {
            out[left + i] = paths[from * WINDOW + i];
        }
    }
}
