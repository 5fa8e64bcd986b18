// Two namespaces have the name, and neither hides the other.
namespace one { constexpr int x = 1; }
namespace two { constexpr int x = 2; }
using namespace one;
using namespace two;
__global__ void k(int *out) {
    out[0] = x; // ERROR
}
