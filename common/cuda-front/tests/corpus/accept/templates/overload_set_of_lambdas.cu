// Lambdas joined into one set of overloads.
template <typename... F> struct Overload : F... {
    using F::operator()...;
};
template <typename... F> Overload(F...) -> Overload<F...>;
__global__ void k(int *out) {
    Overload visit{[](int a) { return a + 1; }, [](float b) { return static_cast<int>(b * 10.0f); }};
    out[0] = visit(3);
    out[1] = visit(0.5f);
}
