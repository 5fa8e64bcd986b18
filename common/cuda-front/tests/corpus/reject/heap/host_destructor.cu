// `delete` calls a destructor of the host.
struct Item {
    ~Item() {}
};
__global__ void k(Item *i) {
    delete i; // ERROR
}
