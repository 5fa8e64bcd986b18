__host__ __global__ void k(int *p) { p[0] = 1; } // ERROR
