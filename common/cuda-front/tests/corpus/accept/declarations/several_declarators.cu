// Several names in one declaration, with pointers and arrays among them.
__global__ void several(int *out) {
    int a = 1, b = 2, *p = &a, c[3] = {3, 4, 5}, &r = b;
    *p += 10;
    r += 20;
    out[0] = a + b + c[1];
}
