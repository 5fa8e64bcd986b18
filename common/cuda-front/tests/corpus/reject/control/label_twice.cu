// A label twice.
__global__ void k(int *out, int n) {
here:
    out[0] = n;
here: // ERROR
    if (n) goto here;
}
