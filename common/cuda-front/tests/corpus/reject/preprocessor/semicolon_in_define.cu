// A semicolon at the end of a macro breaks the expression that uses it.
#define SIZE 16;
__global__ void k(int *out) {
    int a[SIZE]; // ERROR
    out[0] = a[0];
}
