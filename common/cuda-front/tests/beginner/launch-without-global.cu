void scale(float *out) { // EXPECT launch-of-a-function
    out[0] = 1.0f;
}

int main() {
    float *out = nullptr;
    scale<<<1, 32>>>(out);
}
