// Attributes wherever the grammar has them.
[[nodiscard]] __device__ int f([[maybe_unused]] int x) { return x; }
struct [[deprecated]] Old {
    [[maybe_unused]] int a;
};
enum class [[nodiscard]] E { a [[deprecated]], b [[maybe_unused]] = 3 };
namespace [[deprecated]] n {
int const q = 1;
}
using T [[maybe_unused]] = int;

__global__ void k [[maybe_unused]] (int *out) {
    for (int i [[maybe_unused]] = 0; i < 2; i++) out[i] = f(i);
    auto g = [](T x) [[gnu::noinline]] { return x; };
    switch (out[0]) {
    case 1: out[2] = g(2); [[fallthrough]];
    default: out[3] = int(E::b);
    }
}
