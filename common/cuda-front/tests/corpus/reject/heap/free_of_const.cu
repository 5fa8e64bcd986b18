// `free` takes no pointer to `const`.
__global__ void k(const int *p) {
    free(p); // ERROR
}
