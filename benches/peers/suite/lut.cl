// Bytes replaced by those of a table.

kernel void lut_global(global const uchar *in, global const uchar *table, global uchar *out,
                       int n) {
    int i = get_global_id(0);
    if (i < n) {
        out[i] = table[in[i]];
    }
}

// Four bytes that follow one another per thread.
kernel void lut_four(global const uchar *in, global const uchar *table, global uchar *out,
                     int n) {
    int first = (get_global_id(0)) * 4;
    for (int i = first; i < first + 4 && i < n; i++) {
        const uchar value = in[i];
        out[i] = table[value];
    }
}
