// Plain and scoped enumerations, with underlying types and values.
enum Colour { RED, GREEN = 5, BLUE };
enum class Axis : unsigned char { X = 1, Y, Z };
enum { WIDTH = 8, AREA = WIDTH * WIDTH };
enum Flags : unsigned { A = 1u << 0, B = 1u << 1, AB = A | B };
__device__ int value(Axis a) {
    switch (a) {
    case Axis::X: return 10;
    case Axis::Y: return 20;
    default: return static_cast<int>(a);
    }
}
__global__ void enums(int *out, Colour c) {
    int counts[AREA] = {};
    counts[BLUE] = c == GREEN ? 1 : 2;
    Axis a = static_cast<Axis>(2);
    if (a == Axis::Y) out[0] = value(a) + value(Axis::Z);
    out[1] = counts[6] + AB + RED + Colour::BLUE + sizeof(Axis);
    unsigned f = A;
    f |= B;
    out[2] = f & AB;
}
