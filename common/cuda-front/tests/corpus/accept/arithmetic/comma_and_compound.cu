// The comma operator, assignments as values, chains of assignments.
__global__ void chain(int *out) {
    int a, b, c;
    a = b = c = 4;
    a += b -= 2;
    for (int i = 0, j = 9; i < j; i++, j--) c += (a++, b);
    out[0] = a, out[1] = b, out[2] = c;
    c %= 5;
    c *= c /= 2;
    out[3] = c;
}
