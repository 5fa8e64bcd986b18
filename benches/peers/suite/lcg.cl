// Streams of random numbers of a linear congruential generator of 64 bits; number k of all threads side by side.

kernel void lcg_index(global const uint *seeds, global uint *out, int n, int each) {
    int i = get_global_id(0);
    ulong state = seeds[i];
    for (int k = 0; k < each; k++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        out[k * n + i] = (uint)(state >> 32);
    }
}

kernel void lcg_pointer(global const uint *seeds, global uint *out, int n, int each) {
    const int i = get_global_id(0);
    const ulong a = 6364136223846793005ul;
    const ulong c = 1442695040888963407ul;
    ulong state = a * seeds[i] + c;
    global uint *to = out + i;
    global uint *end = to + each * n;
    do {
        *to = state >> 32;
        to += n;
        state = a * state + c;
    } while (to != end);
}
