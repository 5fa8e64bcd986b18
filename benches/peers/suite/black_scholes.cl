// Prices of European options after Black and Scholes; the normal distribution by Hull's polynomial.

#define RATE 0.02f
#define VOLATILITY 0.3f

float normal(float d) {
    const float a1 = 0.31938153f;
    const float a2 = -0.356563782f;
    const float a3 = 1.781477937f;
    const float a4 = -1.821255978f;
    const float a5 = 1.330274429f;
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float result = 0.39894228040143267794f * exp(-0.5f * d * d) *
                   (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
    if (d > 0) {
        result = 1.0f - result;
    }
    return result;
}

kernel void black_scholes_function(global const float *price, global const float *strike, global const float *years,
                                   global float *call, global float *put, int n) {
    int i = get_global_id(0);
    if (i < n) {
        float s = price[i], x = strike[i], t = years[i];
        float root = sqrt(t);
        float d1 = (log(s / x) + (RATE + 0.5f * VOLATILITY * VOLATILITY) * t) / (VOLATILITY * root);
        float d2 = d1 - VOLATILITY * root;
        float discounted = x * exp(-RATE * t);
        call[i] = s * normal(d1) - discounted * normal(d2);
        put[i] = discounted * (1.0f - normal(d2)) - s * (1.0f - normal(d1));
    }
}

#define POLYNOMIAL(k) \
    (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))))

// Several options per thread, and the put from the call.
kernel void black_scholes_loop(global const float *price, global const float *strike, global const float *years,
                               global float *call, global float *put, int n) {
    const int stride = get_global_size(0);
    for (int i = get_global_id(0); i < n; i += stride) {
        const float t = years[i];
        const float deviation = VOLATILITY * sqrt(t);
        const float drift = (RATE + VOLATILITY * VOLATILITY / 2.0f) * t;
        float d[2];
        d[0] = (log(price[i] / strike[i]) + drift) / deviation;
        d[1] = d[0] - deviation;
        float probability[2];
        for (int j = 0; j < 2; j++) {
            const float k = 1.0f / (1.0f + 0.2316419f * fabs(d[j]));
            const float tail = 0.39894228040143267794f * exp(-d[j] * d[j] / 2.0f) * POLYNOMIAL(k);
            probability[j] = d[j] > 0.0f ? 1.0f - tail : tail;
        }
        const float discounted = strike[i] * exp(-RATE * t);
        const float value = price[i] * probability[0] - discounted * probability[1];
        call[i] = value;
        put[i] = value + discounted - price[i];
    }
}
