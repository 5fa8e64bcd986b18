// Values that name members come in the order of the class.
struct Pair { int a; int b; };
__global__ void k(int *out) {
    Pair p{.b = 1, .a = 2}; // ERROR
    out[0] = p.a;
}
