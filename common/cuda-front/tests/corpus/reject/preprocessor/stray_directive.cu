// An unknown directive.
#defin SIZE 16 // ERROR
__global__ void k(int *out) { out[0] = 16; }
