// + of structs without an operator.
struct P {
    int a;
};
__global__ void k(P *out, P a, P b) {
    out[0] = a + b; // ERROR
}
