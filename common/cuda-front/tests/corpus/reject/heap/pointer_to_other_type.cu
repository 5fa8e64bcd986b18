// What `new` gives is a pointer to its own type.
__global__ void k() {
    int *p = new float[3]; // ERROR
}
