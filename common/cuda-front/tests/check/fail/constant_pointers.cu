__device__ constexpr int past(int n) { int a[3] = {1, 2, 3}; const int *p = a; p += n; return *p; }
__device__ constexpr const int *gone() { int a = 1; return &a; }
__device__ constexpr int dangling() { return *gone(); }
__device__ constexpr int apart() { int a[2] = {}, b[2] = {}; return (int)(&a[0] - &b[0]); }
__device__ constexpr int member() { struct S { int a, b; } s = {1, 2}; return (&s.a)[1]; }
__device__ constexpr int text() { const char *s = "abc"; return s[4]; }
__global__ void k(int *o) {
    int x = 0;
    constexpr int last = past(2);
    constexpr int end = past(3);
    constexpr int before = past(-1);
    constexpr int ended = dangling();
    constexpr int other = apart();
    constexpr int next = member();
    constexpr int far = text();
    constexpr int *address = &x;
    o[0] = last + x;
}
