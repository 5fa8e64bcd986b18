__global__ void k(float *a, int n) {
  std::string s = "a";
  a[0] = s[0];
}
__device__ int after(int x) { return x; }
