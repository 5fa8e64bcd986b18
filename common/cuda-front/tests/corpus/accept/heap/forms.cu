// The forms of `new` and `delete`, `malloc` and `free`, and names of the file that hide them.
#include <cstdlib>
struct Item;
__device__ void drop(Item *i) { delete i; }
struct Item {
    int value = 1;
    __device__ ~Item() { value = 0; }
};
template <class T> struct Buffer {
    T *data;
    __device__ explicit Buffer(int n) : data(new T[n]) {}
    __device__ ~Buffer() { delete[] data; }
};
struct Tree {
    Tree *left = nullptr, *right = nullptr;
    __device__ ~Tree() { delete left, delete right; }
};
namespace own {
__device__ int malloc(int a) { return a + 1; }
__device__ int use() { return malloc(3); }
}
__global__ void k(int *out, int n) {
    int *one = new int, *two = new (int)(2), *three = ::new int{3};
    *one = own::use();
    int **rows = new int *[n], (*table)[4] = new int[n][4]{};
    rows[0] = new int[3]();
    Item *items = new Item[n], (*grid)[2] = new Item[n][2];
    float *raw = (float *)malloc(n * sizeof(float));
    Buffer<double> *b = new Buffer<double>{n};
    Tree *t = new Tree;
    t->left = new Tree();
    out[0] = *one + *two + *three + table[0][1] + rows[0][1] + items[0].value + grid[0][1].value + (raw != nullptr) + sizeof(new int);
    delete t;
    delete b;
    free(raw);
    delete[] grid;
    delete[] items;
    delete[] rows[0];
    delete[] rows;
    delete[] table;
    ::delete three;
    delete two;
    delete one;
    delete (void *)nullptr;
}
