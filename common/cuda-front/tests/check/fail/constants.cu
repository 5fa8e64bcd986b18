constexpr int big = 2147483647 + 1;
constexpr int zero = 1 / 0;
constexpr int endless(int n) { while (true) { n = n ^ 1; } return n; }
constexpr int stuck = endless(1);
template <int N> __device__ int deep() { return deep<N + 1>(); }
template <int N> struct Deep { static constexpr int value = Deep<N + 1>::value; };
static_assert(sizeof(float) == 8, "float has four bytes");
const int n = 4;
int runtime = 4;
__global__ void k(int *out) {
    int ok[n];
    int bad[runtime];
    out[0] = deep<0>();
    out[1] = Deep<0>::value;
    switch (out[0]) {
    case 1:
    case 1:
        break;
    case out[1]:
        break;
    }
    constexpr int t = out[2];
}
