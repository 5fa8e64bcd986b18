__global__ void k(int2 p) {
    printf("%d", threadIdx); // EXPECT wrong-argument-type
    printf("%d", p); // EXPECT wrong-argument-type
}
