// More values than elements.
__global__ void k() {
    int *p = new int[2]{1, 2, 3}; // ERROR
}
