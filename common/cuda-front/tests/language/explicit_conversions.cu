// EXPECT: 1 0 1 3 3 9 3 4 1 4 4 40 40 0 0 0 0 0 0 0 0 0 0 0
struct S { int v; __device__ explicit operator bool() const { return v > 2; } __device__ explicit operator int() const { return v; } };
struct T { int v; __device__ operator int() const { return v; } __device__ explicit operator float() const { return v * 10.f; } };
__device__ int f(bool b) { return b; } __device__ int f(S) { return 9; }
__global__ void k(int *out) { S s{3}; out[0] = s ? 1 : 2; out[1] = !s; out[2] = s && true; out[3] = static_cast<int>(s); out[4] = (int)s; out[5] = f(s); int x(s); out[6] = x; if (s) out[7] = 4; while (s) { s.v--; out[8]++; } T t{4}; out[9] = t; float y = t; out[10] = y; out[11] = static_cast<float>(t); out[12] = float(t); bool b{s}; out[13] = b; }
