// A parameter of an unknown type.
__global__ void k(Matrix *m) { // ERROR
}
