__global__ void k(const half *in) {} // EXPECT unsupported-feature
