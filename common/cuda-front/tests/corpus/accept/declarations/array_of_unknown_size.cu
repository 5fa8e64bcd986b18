// The size of an array from its initialiser.
__constant__ int table[] = {1, 1, 2, 3, 5, 8};
__global__ void sizes(int *out) {
    int local[] = {4, 5, 6};
    out[0] = sizeof(local) / sizeof(local[0]) + sizeof(table) / sizeof(int);
    out[1] = local[2] + table[5];
}
