// A string literal becomes a `char *` with a warning, in each form of initialization.
struct Named {
    char *name;
    __device__ Named(char *name) : name(name) {}
};
__device__ int first(char *text) { return text[0]; }
__device__ int chosen(char *) { return 1; }
__device__ int chosen(const char *) { return 2; }
__device__ char *result() { return "ghi"; }
__global__ void k(int *out) {
    char *local = "abc";
    char *inner = ("stu");
    char *list[] = {"abc", "def"};
    local = "xyz";
    Named named("jkl");
    out[0] = local[1] + inner[0] + list[1][2] + first("mno") + chosen("pqr") + result()[0] + named.name[0];
}
