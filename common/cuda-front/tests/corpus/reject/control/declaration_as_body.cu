// A name declared in a branch is gone after it.
__global__ void k(int *out, int n) {
    if (n > 3)
        int x = 4;
    else
        int x = 5;
    out[0] = x; // ERROR
}
