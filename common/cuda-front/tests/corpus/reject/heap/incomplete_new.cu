// `new` of a class that has no body yet.
struct Node;
__global__ void k() {
    Node *n = new Node; // ERROR
}
