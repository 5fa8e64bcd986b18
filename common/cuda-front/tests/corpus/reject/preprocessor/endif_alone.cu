// #endif without #if.
__global__ void k(int *out) { out[0] = 1; }
#endif // ERROR
