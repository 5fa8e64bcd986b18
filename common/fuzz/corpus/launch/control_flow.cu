// launch: grid 1 1 1 block 64 1 1 shared 0 n 12
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void k(int *out, int n) {
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == t % 7) continue;
        if (i * t > 60) break;
        switch (i & 3) {
        case 0: sum += t;
        case 1: sum -= i; break;
        default: sum ^= 5;
        }
        do { sum++; } while (sum % 4 != 0);
    }
    if (t == 50) return;
    int i = 0;
again:
    if (++i < t % 5) goto again;
    out[t] = sum + i + fibonacci(t % 6);
}
