// An array of structures of 20 bytes to arrays of its members, and the colour to four planes.

typedef struct {
    int id;
    float x;
    float y;
    int kind;
    uchar colour[4];
} Sample;

kernel void aos_to_soa_members(global const Sample *in, global int *id, global float *x, global float *y, global int *kind,
                           global uchar *colour, int n) {
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i < n) {
        id[i] = in[i].id;
        x[i] = in[i].x;
        y[i] = in[i].y;
        kind[i] = in[i].kind;
        for (int k = 0; k < 4; k++) {
            colour[k * n + i] = in[i].colour[k];
        }
    }
}

// A copy of the structure; two samples per thread, half of an array apart.
kernel void aos_to_soa_copy(global const Sample *in, global int *id, global float *x, global float *y, global int *kind,
                        global uchar *colour, int n) {
    const int middle = (n + 1) / 2;
    const int t = get_local_id(0) + get_group_id(0) * get_local_size(0);
    if (t >= middle)
        return;
    for (int i = t; i < n; i += middle) {
        const Sample sample = in[i];
        id[i] = sample.id;
        x[i] = sample.x;
        y[i] = sample.y;
        kind[i] = sample.kind;
        global uchar *plane = colour + i;
        *plane = sample.colour[0];
        plane += n;
        *plane = sample.colour[1];
        plane += n;
        *plane = sample.colour[2];
        plane += n;
        *plane = sample.colour[3];
    }
}
