// The first value that a compare-and-swap compares with is a guess.
// launch: <<<1, 64>>>
// expect: note (P3n)
__global__ void k(double *sum) {
    unsigned long long *p = (unsigned long long *)sum;
    unsigned long long old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, (unsigned long long)__double_as_longlong(1.0 + __longlong_as_double((long long)assumed)));
    } while (assumed != old);
}
