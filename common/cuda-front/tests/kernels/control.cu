// Control flow: switch with and without fall-through, do-while, nested loops, early returns, short circuits.
enum Mode { ADD, SUB, MUL, KEEP = 10 };

__device__ int apply(Mode mode, int a, int b) {
    switch (mode) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: {
        int product = a * b;
        return product;
    }
    default: break;
    }
    return a;
}

__device__ int fall(int x) {
    int result = 0;
    switch (x & 7) {
    default: result += 1000;
    case 0: result += 1; break;
    case 1:
    case 2: result += 10;
    case 3: result += 100; break;
    case 4:
        for (int i = 0; i < 3; i++) {
            if (i == x) continue;
            if (i > 1) break;
            result += i;
        }
        return -result;
    }
    return result;
}

__device__ int collatz(unsigned int n) {
    int steps = 0;
    do {
        if (n == 1) break;
        n = n % 2 ? 3 * n + 1 : n / 2;
    } while (++steps < 1000);
    return steps;
}

__device__ int find(const int *data, int n, int value) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < 2; ++j) {
            if (data[i] + j == value) return i * 2 + j;
        }
    }
    return -1;
}

__global__ void control(const int *in, int *out, int n, int mode) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i];
    int r = apply(static_cast<Mode>(mode), v, i);
    r += fall(v);
    r ^= collatz(v > 0 ? v : 1);
    int k = 0;
    while (true) {
        if (k >= n || in[k] == v && k != i) break;
        k++;
    }
    r += find(in, n, k);
    out[i] = r > 0 && in[i % n] > 0 || r < -100 ? r-- : ++r;
    out[i] <<= 1, out[i] |= (i & 1) != 0;
}

__global__ void narrow(const signed char *a, const unsigned short *b, long long *out, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    signed char c = a[i];
    unsigned short s = b[i];
    c += 100;
    s--;
    short t = c * s;
    unsigned char u = t;
    long long wide = (long long)c << 33 | u;
    out[i] = wide / (s + 1) % 1000003 + (t >> 2) - (unsigned int)c;
    assert(n > 0);
    if (n == 12345) printf("thread %d: %f %s\n", i, 0.5f * c, "never");
}
