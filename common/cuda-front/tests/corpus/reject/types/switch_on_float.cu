// switch on a float.
__global__ void k(int *out, float x) {
    switch (x) { // ERROR
    case 1: out[0] = 1;
    }
}
