// A class derived from one that is `final`.
struct Shape final { int sides; };
struct Square : Shape {}; // ERROR
__global__ void k(int *out) { Square s; s.sides = 4; out[0] = s.sides; }
