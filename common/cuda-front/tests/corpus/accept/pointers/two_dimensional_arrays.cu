// Local and shared arrays of two and three dimensions, and pointers to their rows.
__device__ float row_sum(const float (*m)[4], int r) { return m[r][0] + m[r][1] + m[r][2] + m[r][3]; }
__device__ float first(float m[][4]) { return m[0][0]; }
__global__ void dims(float *out) {
    float a[3][4];
    __shared__ int cube[2][3][4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) a[i][j] = i * 4 + j;
    cube[1][2][3] = threadIdx.x;
    float *row = a[1];
    float(*p)[4] = a;
    out[0] = row[2] + p[2][3] + row_sum(a, 1) + first(a) + cube[1][2][3];
}
