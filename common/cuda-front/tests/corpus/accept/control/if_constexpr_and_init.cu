// if and switch with an initialiser, if constexpr outside a template.
__global__ void init(int *out, const int *in) {
    if (int v = in[0]; v > 3) out[0] = v;
    else out[0] = -v;
    switch (int k = in[1]; k) {
    case 1: out[1] = k; break;
    default: out[1] = 0;
    }
    if constexpr (sizeof(int) == 4) out[2] = 1;
    else out[2] = 2;
}
