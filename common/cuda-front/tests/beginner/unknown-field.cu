struct Pair { float first, second; };

__global__ void scale(Pair *out) {
    out[threadIdx.x].frist = 1.0f; // EXPECT no-such-member
}
