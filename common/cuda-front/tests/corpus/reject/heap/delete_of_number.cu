// `delete` of what is no pointer.
__global__ void k(int a) {
    delete a; // ERROR
}
