// A label belongs to its function.
__device__ int f(int x) {
    if (x) goto done;
    x = 1;
done:
    return x;
}
__global__ void k(int *out) {
    out[0] = f(1);
    if (out[0]) goto done; // ERROR
    out[1] = 2;
}
