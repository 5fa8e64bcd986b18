// Bit-fields without a name, alone and in a list.
struct Bits { unsigned a : 3, : 5, b : 8; unsigned : 0; unsigned c : 4; };
static_assert(sizeof(Bits) == 8, "");
__global__ void bits(int *out) {
    Bits b{};
    b.a = 1;
    b.b = 2;
    out[threadIdx.x] = b.a + b.b;
}
