__global__ void k(float *out) {
    boolean b = false; // EXPECT unknown-type
    byte c = 1; // EXPECT unknown-type
    string s; // EXPECT unknown-type
    f32 x = 1; // EXPECT unknown-type
}
