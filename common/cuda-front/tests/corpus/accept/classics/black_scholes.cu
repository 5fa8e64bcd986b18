// Prices of options.
__device__ inline float cnd(float d) {
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    float c = RSQRT2PI * __expf(-0.5f * d * d) * (k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5)))));
    return d > 0 ? 1.0f - c : c;
}
__launch_bounds__(128) __global__ void price(float2 *__restrict call, float2 *__restrict put, const float2 *s, const float2 *x, const float2 *t, float r, float v, int n) {
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n / 2) return;
    auto one = [&](float &c, float &p, float S, float X, float T) {
        float root = __fsqrt_rn(T), d1 = __fdividef(__logf(S / X) + (r + 0.5f * v * v) * T, v * root), d2 = d1 - v * root;
        float discount = X * __expf(-r * T);
        c = S * cnd(d1) - discount * cnd(d2);
        p = c + discount - S;
    };
    one(call[i].x, put[i].x, s[i].x, x[i].x, t[i].x);
    one(call[i].y, put[i].y, s[i].y, x[i].y, t[i].y);
}
