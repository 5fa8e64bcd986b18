// Precedence and associativity.
__global__ void precedence(int *out, int a, int b, int c) {
    out[0] = a + b * c - a / b % c;
    out[1] = a << b + c;
    out[2] = a < b == b < c;
    out[3] = a | b ^ c & a;
    out[4] = -a * -b - -c;
    out[5] = a - b - c;
    out[6] = *out++ + *&out[1];
    out[7] = !a + ~b;
}
