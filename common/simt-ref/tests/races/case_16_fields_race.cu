// Bit-fields of one unit are written by reading and writing the unit.
// launch: <<<1, 64>>>
// expect: race (P1)
struct Fields { int a : 4; int b : 4; };
__global__ void k(Fields *r) {
    int t = threadIdx.x;
    if (t == 0) r->a = 1;
    if (t == 32) r->b = 1;
}
