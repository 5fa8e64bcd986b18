// A destructor that runs at the end of the scope.
struct Guard {
    int *p;
    __device__ explicit Guard(int *q) : p(q) { *p += 1; }
    __device__ ~Guard() { *p -= 10; }
};
__global__ void guards(int *out) {
    {
        Guard g(out);
        out[1] = *out;
    }
    out[2] = *out;
}
