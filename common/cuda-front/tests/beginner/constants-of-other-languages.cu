__global__ void k(float *out) {
    bool b = True; // EXPECT undeclared-name
    bool c = FALSE; // EXPECT undeclared-name
    float *p = null; // EXPECT undeclared-name
    out[0] = None; // EXPECT undeclared-name
    out[1] = NULL; // EXPECT cannot-convert
}
