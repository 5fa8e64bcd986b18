// An array of objects that need arguments.
struct Item {
    __device__ Item(int) {}
};
__global__ void k(int n) {
    Item *items = new Item[n]; // ERROR
}
