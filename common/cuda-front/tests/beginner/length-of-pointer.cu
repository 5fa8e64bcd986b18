__global__ void k(float *out, int n) {
    int a = out.size(); // EXPECT not-a-class
    int b = out.length; // EXPECT not-a-class
    n->x = 3; // EXPECT not-a-pointer
}
