// A class with a library's types that only the host uses.
#include <cute/tensor.hpp>

using namespace cute;

template <typename T_, int Warps_>
struct Config {
    using T = T_;
    static constexpr int Warps = Warps_;
    using Atom = MMA_Atom<SM80_16x8x16_F16F16F16F16_TN>;
    using Tiled = decltype(make_tiled_mma(Atom{}, make_layout(Shape<Int<Warps>, _1, _1>{})));
    static_assert(size(Tiled{}) == Warps * 32, "threads");
};

template <class F, class R, class... A>
struct Callable;
template <class F, class R, class... A>
struct Callable<F, R(A...)> : decltype(check<F, R, A...>(0)) {};

__global__ void k(float *out) { out[0] = 1; }
