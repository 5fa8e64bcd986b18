// Blocks within the statement that a condition or a `for` controls may declare its names anew.
__global__ void k(int *out) {
    for (int i = 0; i < 3; i++) {
        for (int i = 0; i < 2; i++) out[i] = i;
        {
            int i = 3;
            out[i] = 2;
        }
        auto f = [](int i) { return i; };
        out[i] = f(i);
    }
    if (int n = out[0]) {
        {
            int n = 2;
            out[1] = n;
        }
    } else {
        out[2] = n;
    }
    int n = 2;
    while (n--) {
        int n = 2;
        out[n] = 1;
    }
    int i;
    for (i = 0; i < 3; i++) {
        int i = 2;
        out[i] = i;
    }
    int a[3] = {1, 2, 3};
    for (int x : a) {
        for (int x : a) out[x] = x;
        out[0] = x;
    }
}
