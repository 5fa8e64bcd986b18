// A string that does not end.
__global__ void k(int *out) {
    printf("hello); // ERROR
    out[0] = 1;
}
