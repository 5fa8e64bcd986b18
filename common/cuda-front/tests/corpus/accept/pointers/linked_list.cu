// A list in global memory.
struct Node {
    int value;
    Node *next;
};
__global__ void walk(const Node *head, int *out) {
    int sum = 0;
    for (const Node *n = head; n; n = n->next) sum += n->value;
    *out = sum;
}
