// A struct's closing brace needs a semicolon.
struct P {
    int a;
}
__global__ void k(P *p) { p->a = 1; } // ERROR
