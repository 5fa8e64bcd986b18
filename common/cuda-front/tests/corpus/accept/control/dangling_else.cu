// An else belongs to the nearest if; empty branches.
__global__ void dangling(int *out, int a, int b) {
    if (a)
        if (b) out[0] = 1;
        else out[0] = 2;
    if (a) ;
    else out[1] = 3;
    if (!a) {
    } else if (b) {
        out[2] = 4;
    } else {
        out[2] = 5;
    }
}
