// A type that is private in its class.
class Matrix {
    using Element = int;

public:
    Element a[4];
};
__global__ void k(int *out) {
    Matrix m;
    m.a[0] = 1;
    Matrix::Element e = m.a[0]; // ERROR
    out[0] = e;
}
