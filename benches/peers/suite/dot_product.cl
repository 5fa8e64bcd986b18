// The scalar product of each block's part of two vectors.

#define BLOCK 256

// A thread takes elements at a distance of one block.
kernel void dot_product_strided(global const float *a, global const float *b, global float *sums, int chunk) {
    local float cache[BLOCK];
    int first = get_group_id(0) * chunk;
    float sum = 0.0f;
    for (int i = get_local_id(0); i < chunk; i += get_local_size(0)) {
        sum += a[first + i] * b[first + i];
    }
    cache[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int i = get_local_size(0) / 2;
    while (i != 0) {
        if (get_local_id(0) < i) {
            cache[get_local_id(0)] += cache[get_local_id(0) + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        i /= 2;
    }
    if (get_local_id(0) == 0) {
        sums[get_group_id(0)] = cache[0];
    }
}

// A thread takes elements that follow one another.
kernel void dot_product_chunked(global const float *a, global const float *b, global float *sums, int chunk) {
    local float cache[BLOCK];
    int t = get_local_id(0);
    int each = chunk / BLOCK;
    global const float *pa = a + get_group_id(0) * chunk + t * each;
    global const float *pb = b + get_group_id(0) * chunk + t * each;
    global const float *end = pa + each;
    float sum = 0.0f;
    while (pa != end) {
        sum += *pa++ * *pb++;
    }
    cache[t] = sum;
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < s) {
            cache[t] += cache[t + s];
        }
    }
    if (t == 0) {
        sums[get_group_id(0)] = cache[0];
    }
}
