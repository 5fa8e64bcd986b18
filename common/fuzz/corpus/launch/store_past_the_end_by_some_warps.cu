// launch: grid 1 1 1 block 256 1 1 shared 1 
(){}__device__ void zero(float(&s)[64]){s[threadIdx.x]=0;}__global__ void pass(float*){__shared__ float s[64];zero(s);}