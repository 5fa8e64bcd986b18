// C++ does not convert `void *` to other pointers.
__global__ void k() {
    int *p = malloc(4); // ERROR
}
