// EXPECT: 1 1 1 1 15 1 1 1 5 7
// A variable is known in its own initial value.
struct Node { Node *n; int v; __device__ Node(Node *x) : n(x), v(1) {} };
struct L { L *next; int v; };
struct Own { Own *me; __device__ Own() : me(this) {} };
__device__ int two(int *p) { *p = 4; return 5; }
__global__ void k(int *p) {
    void *self = &self;
    Node n(&n);
    L l = { &l, 3 };
    L l2{ &l2, (int)sizeof(l2) };
    int x = [](int x) { return x + 1; }(3);
    int a[3] = { 1, a[0] + 1, a[1] + 1 };
    int b[] = { 1, 2, (int)sizeof(int) };
    int y = (y = 3, y + 1);
    Node m = Node(&m);
    Own o;
    Own o2 = Own();
    int z = two(&z);
    const int q = sizeof q;
    int w[q] = {};
    p[0] = self == &self;
    p[1] = n.n == &n;
    p[2] = l.next == &l;
    p[3] = l2.next == &l2;
    p[4] = x + a[2] + b[2] + y;
    p[5] = m.n == &m;
    p[6] = o.me == &o;
    p[7] = o2.me == &o2;
    p[8] = z + w[3];
    n.n->v = 7;
    p[9] = n.v;
}
