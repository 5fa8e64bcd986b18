// Fall-through, several labels, default in the middle, no match.
__global__ void sw(int *out, int x) {
    int y = 0;
    switch (x) {
    case 0:
    case 1: y = 10; break;
    default: y = 99;
    case 2: y += 1;
    case 3: {
        int z = y * 2;
        y = z;
        break;
    }
    case -1: return;
    }
    switch (x & 1) { case 1: y++; }
    out[0] = y;
}
