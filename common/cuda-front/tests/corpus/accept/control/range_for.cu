// Range-for over arrays, by value and by reference, and over braces of a struct.
__global__ void ranges(int *out) {
    int a[4] = {1, 2, 3, 4};
    int s = 0;
    for (int x : a) s += x;
    for (int &x : a) x *= 2;
    for (auto x : a) s += x;
    for (const auto &x : a) s -= x & 1;
    int m[2][2] = {{1, 2}, {3, 4}};
    for (auto &row : m)
        for (int v : row) s += v;
    out[0] = s;
}
