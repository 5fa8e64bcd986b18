// =, (), {} and = {}; zero from empty braces; partial lists of arrays.
__global__ void initialisers(float *out) {
    int a = 1;
    int b(2);
    int c{3};
    int d = {4};
    float z{};
    float v[5] = {1.0f, 2.0f};
    float w[3] = {};
    int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int flat[2][2] = {1, 2, 3, 4};
    out[0] = a + b + c + d + z + v[1] + v[4] + w[2] + m[1][2] + flat[1][0];
}
