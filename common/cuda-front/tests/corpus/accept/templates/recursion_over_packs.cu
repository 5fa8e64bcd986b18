// Packs: recursion on the first, sums of members, calls with expansion patterns, fold over commas.
struct Nil {};
template <typename T>
__device__ T sum(T x) { return x; }
template <typename T, typename... Ts>
__device__ T sum(T x, Ts... rest) { return x + sum<Ts...>(rest...); }
template <typename F, typename... Ts>
__device__ void each(F f, Ts... xs) { (f(xs), ...); }
template <typename... Ts>
__device__ int squares(Ts... xs) { return sum((xs * xs)...); }
template <int... Ns>
struct Sum { static constexpr int value = (Ns + ... + 0); };
__global__ void packs(int *out) {
    int t = 0;
    each([&](int x) { t += x; }, 1, 2, 3);
    out[0] = sum(1, 2, 3) + squares(1, 2) + t + Sum<1, 2, 3>::value + Sum<>::value;
}
