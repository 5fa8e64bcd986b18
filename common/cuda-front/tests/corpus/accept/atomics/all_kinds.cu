// Each atomic operation for the types it has.
__global__ void atomics(int *i, unsigned *u, float *f, double *d, unsigned long long *l) {
    atomicAdd(i, 1);
    atomicAdd(u, 1u);
    atomicAdd(f, 1.5f);
    atomicAdd(d, 1.5);
    atomicAdd(l, 1ull);
    atomicSub(&i[1], 2);
    atomicSub(&u[1], 2u);
    atomicExch(&i[2], 3);
    atomicExch(&f[2], 3.0f);
    atomicMin(&i[3], -1);
    atomicMax(&u[3], 7u);
    atomicMax(&l[3], 7ull);
    atomicInc(&u[4], 10u);
    atomicDec(&u[5], 10u);
    atomicAnd(&i[4], 0xff);
    atomicOr(&u[6], 0x100u);
    atomicXor(&i[5], 1);
    int old = atomicCAS(&i[6], 0, 5);
    unsigned long long before = atomicCAS(&l[4], 0ull, 5ull);
    i[7] = old + (int)before;
}
