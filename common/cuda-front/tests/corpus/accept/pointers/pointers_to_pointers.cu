// Arrays of pointers and pointers to pointers.
__global__ void rows(float **rows, float *out, int n) {
    float *const mine = rows[threadIdx.x];
    float sum = 0;
    for (int i = 0; i < n; i++) sum += mine[i] + *(*(rows + 1) + i);
    float *pick[2] = {out, rows[0]};
    pick[0][threadIdx.x] = sum;
    float **pp = &pick[1];
    (*pp)[0] = 1;
    **pp += 2;
}
