// Lambdas: captures by value, by reference, by default, with an initialiser; mutable; with a result type.
__global__ void lambdas(float *out, int n) {
    float a = 2, b = 3;
    auto add = [](float x, float y) { return x + y; };
    auto by_value = [a](float x) { return a * x; };
    auto by_ref = [&b](float x) { b += x; };
    auto everything = [&](int i) -> float { return a + b + i; };
    auto copy = [=]() { return a - b; };
    auto init = [k = n * 2] { return k; };
    int calls = 0;
    auto count = [calls]() mutable { return ++calls; };
    by_ref(1);
    a = 10;
    out[0] = add(1, 2) + by_value(2) + everything(1) + copy() + init() + count() + count();
    out[1] = [](int x) { return x * x; }(4);
}
