// case outside a switch.
__global__ void k(int *out, int n) {
    if (n) {
    case 1: out[0] = 1; // ERROR
    }
}
