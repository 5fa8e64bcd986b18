// C as it is written by those who come from C.
#include <stdio.h>
#include <stdlib.h>
#define IDX2C(i, j, ld) (((j) * (ld)) + (i))
#define N 64
#if 0
this is not read: it's text
#endif
typedef struct {
    int width;
    int height;
    float *elements;
} Matrix;
typedef struct Node {
    struct Node *next;
    int value;
} Node;
typedef enum { LEFT, RIGHT = 4 } Side;
static __device__ float get(const Matrix A, int row, int col) { return A.elements[row * A.width + col]; }
__device__ static void set(Matrix *A, int row, int col, float v) { (*A).elements[row * A->width + col] = v; }
__device__ void nothing() {}
__device__ void also_nothing() { return nothing(); }
__global__ void c_style(Matrix A, Matrix B, struct Node *list, unsigned long long int *big, Side side)
{
    int i;
    int tx = threadIdx.x, ty = threadIdx . y, bx = blockIdx.x;
    float sum = 0.;
    unsigned n = N;
    struct Node *p = list;
    if (!(tx < A.width)) return;
    for (i = 0; i < N; i = i + 1)
    {
        sum += A.elements[IDX2C(tx, i % A.height, A.width)] * 1.e-2f;
    }
    while (n --> 60) sum -= n;
    for (auto k = 0u; k < 3u; k++) sum *= 2;
    while (p != NULL && p->value != 0) p = p->next;
    __syncthreads ( ) ;
    set(&B, ty, tx, sum + get(A, ty, tx) + (side == RIGHT ? 1 : side == LEFT ? 2 : 3));
    big[bx] += 0xFFull + 010 + 1UL + (p ? (*p).value : 0), also_nothing();
}
