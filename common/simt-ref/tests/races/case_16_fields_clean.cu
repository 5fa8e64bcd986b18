// Members of their own bytes.
// launch: <<<1, 64>>>
// expect: clean
struct Fields { int a; int b; };
__global__ void k(Fields *r) {
    int t = threadIdx.x;
    if (t == 0) r->a = 1;
    if (t == 32) r->b = 1;
}
