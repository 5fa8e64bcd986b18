// The format of `printf` is of `char`.
#include <cstdio>
__global__ void k() { printf(L"a"); } // ERROR
