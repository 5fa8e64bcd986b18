// EXPECT: 7 4 3 5 9 10
// What is declared twice is known from the first time on: aliases, in both spellings, of tags, in classes' and namespaces' scopes.
struct S { int x; };
typedef S T;
using U = int;
typedef unsigned int uint;
__device__ int f(T n) { T h = n; U u = 1; const uint w = 2; return h.x + u + w; }
using U = int;
typedef S T;
typedef S S;
typedef unsigned uint, *uint_pointer;
namespace n { typedef long Wide; __device__ int g(Wide v) { Wide w = v; return w + 1; } typedef long Wide; }
extern __device__ int later;
__device__ int read() { return later; }
__device__ int later = 3;
struct Node;
__device__ int value(const Node *n);
struct Node { Node *next; int value; };
struct Node;
__device__ int value(const Node *n) { const Node *last = n; return last->value; }
typedef struct Node Node;
class Outer { public: struct Inner; struct Inner { int v = 1; }; struct Inner; };
union Word; union Word { int i; float f; }; union Word;
template <class A> struct Box; template <class A> struct Box { A a; }; template <class A> struct Box;
enum Color : int; enum Color : int { RED = 2 }; enum Color : int;
enum class Shape : char; enum class Shape : char { round = 3 }; enum class Shape : char;
enum Kind { PLAIN = 9 };
__device__ int kind() { Kind e = PLAIN; return e; }
typedef enum Kind Kind;
__global__ void k(int *out) {
  S s;
  s.x = 4;
  Node node = {nullptr, 5};
  uint_pointer unused = nullptr;
  out[0] = f(s) + (unused != nullptr); out[1] = n::g(3); out[2] = read(); out[3] = value(&node); out[4] = kind();
  struct Local { int v; };
  struct Local;
  Local local = {1};
  { struct Local { int w; }; Local inner; inner.w = 0; local.v += inner.w; }
  out[5] = local.v + Outer::Inner().v + Word{1}.i + Box<int>{2}.a + RED + (int)Shape::round;
}
