// A class that is declared in a class or namespace, and defined through its qualified name.
struct Outer {
    struct Part;
    static constexpr int size = 3;
};
struct Outer::Part { int v[size]; };
namespace ns { struct Record; constexpr int count = 2; }
struct ns::Record { int w[count]; };
static_assert(sizeof(Outer::Part) == 12 && sizeof(ns::Record) == 8, "");
__global__ void parts(int *out) {
    Outer::Part p{{1, 2, 3}};
    ns::Record r{{4, 5}};
    out[threadIdx.x] = p.v[2] + r.w[1];
}
