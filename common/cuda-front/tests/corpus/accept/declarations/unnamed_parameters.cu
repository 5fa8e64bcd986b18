// Parameters without names, void as the list, empty statements.
__device__ int constant(void) { return 4; }
__device__ int ignore(int, float *, int last) { return last; }
__global__ void unnamed(int *out, int) {
    ;
    out[0] = ignore(1, nullptr, constant());
    ;
}
