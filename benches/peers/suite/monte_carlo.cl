// Random points of a square that lie in a quarter of a circle, counted per thread; xorshift with 32 bits.

kernel void monte_carlo_for(global const uint *seeds, global int *hits, int points) {
    int i = get_global_id(0);
    uint state = seeds[i];
    int count = 0;
    for (int p = 0; p < points; p++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        uint x = state & 0x7fff;
        uint y = (state >> 16) & 0x7fff;
        if (x * x + y * y < 0x40000000u) {
            count++;
        }
    }
    hits[i] = count;
}

uint xorshift(uint state) {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ (state << 5);
}

kernel void monte_carlo_function(global const uint *seeds, global int *hits, int points) {
    const int thread = get_local_id(0) + get_group_id(0) * get_local_size(0);
    uint random = seeds[thread];
    int count = 0;
    while (points-- > 0) {
        random = xorshift(random);
        const int x = random & 0x7fff;
        const int y = random >> 16 & 0x7fff;
        count += x * x + y * y < 0x40000000 ? 1 : 0;
    }
    hits[thread] = count;
}
