// The same enumerator twice.
enum E { A, B, A }; // ERROR
__global__ void k(int *out) { out[0] = B; }
