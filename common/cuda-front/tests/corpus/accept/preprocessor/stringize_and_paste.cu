// # and ##, and the usual helper that expands before pasting.
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STR_(x) #x
#define STR(x) STR_(x)
#define VERSION 3

__device__ int CAT(helper_, VERSION)(int x) { return x * VERSION; }

__global__ void pasted(int *out) {
    out[0] = CAT(helper_, VERSION)(5);
    out[1] = sizeof(STR(VERSION));
}
