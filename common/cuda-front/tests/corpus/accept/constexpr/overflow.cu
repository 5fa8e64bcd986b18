// To CUDA's compiler, signed integers wrap in constants, except within a function.
constexpr int most = 2147483647;
__global__ void k(int *out) {
    constexpr int a = most + 1, b = -(-most - 1), c = most * 2;
    static_assert(a == -most - 1 && b == a && c == -2, "");
    out[0] = a + c;
}
