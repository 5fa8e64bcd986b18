// Pointers as members, followed with -> and through an array of structs.
struct Matrix {
    int width, height;
    float *elements;
};
__device__ float get(const Matrix *m, int r, int c) { return m->elements[r * m->width + c]; }
__global__ void transpose_one(Matrix a, Matrix b) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < a.width && y < a.height) b.elements[x * b.width + y] = get(&a, y, x);
}
