// A function declared inside of a body, as templates do to be refused where nothing specialises them.
template <typename T>
struct Scratch {
    __device__ T *memory() {
        extern __device__ void no_such_type(void);
        no_such_type();
        return nullptr;
    }
};

template <>
struct Scratch<float> {
    __device__ float *memory() {
        extern __shared__ float floats[];
        return floats;
    }
};

__global__ void k(float *out) {
    Scratch<float> s;
    float *room = s.memory();
    room[threadIdx.x] = 1;
    out[threadIdx.x] = room[threadIdx.x];
}
