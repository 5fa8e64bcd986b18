__device__ float f(float x) {
  if (x > 0) {
 return x;
  return -x;
}
float g(float x) {
 return x;
}
__global__ void k() {}
