// `delete` calls a destructor of the host.
// NVRTC: line 4 (it takes no functions of the host)
struct Item {
    ~Item() {}
};
__global__ void k(Item *i) {
    delete i; // ERROR
}
