// `delete` outside of the class whose destructor is private.
class Item {
    __device__ ~Item() {}

public:
    __device__ static void end(Item *i) { delete i; }
};
__global__ void k(Item *i) {
    Item::end(i);
    delete i; // ERROR
}
