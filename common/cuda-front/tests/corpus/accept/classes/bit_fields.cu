// Bit-fields.
struct Packed {
    unsigned r : 5, g : 6, b : 5;
    int sign : 3;
};
__global__ void bits(unsigned *out) {
    Packed p = {};
    p.r = 31;
    p.g = 64;
    p.sign = -2;
    out[0] = p.r + p.g + p.sign;
}
