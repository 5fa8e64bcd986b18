__global__ void k(float *out) {
    auto b = cooperative_groups::this_thread_block(); // EXPECT unsupported-feature
    b.sync();
}
