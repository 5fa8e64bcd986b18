// A case that jumps past a variable's value: CUDA's compiler warns.
__global__ void k(int *out, int n) {
    switch (n) {
    case 0:
        int x = 3;
        out[0] = x;
        break;
    case 1:
        out[0] = 2;
    }
}
