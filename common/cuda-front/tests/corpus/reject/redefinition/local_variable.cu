// The same name twice in a scope.
__global__ void k(int *out) {
    int i = 1;
    float i = 2; // ERROR
    out[0] = i;
}
