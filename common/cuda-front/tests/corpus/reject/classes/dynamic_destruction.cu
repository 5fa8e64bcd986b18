struct Owner { int id; __device__ ~Owner() { id = 0; } };
__device__ Owner owner; // ERROR
__global__ void k(int *out) { out[0] = owner.id; }
