//! Virtual functions where lanes call different ones, objects in every memory, and what the checkers find in them.

use crate::kernel::{numbers, run_in_modes};
use crate::programs::attempt;

const SHAPES: &str = "
struct Shape {
    unsigned size;
    __device__ Shape(unsigned size) : size(size) {}
    __device__ virtual unsigned area(unsigned by) const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    __device__ Square(unsigned s) : Shape(s) {}
    __device__ unsigned area(unsigned by) const override { return size * size + by; }
};
struct Line : Shape {
    __device__ Line(unsigned s) : Shape(s) {}
    __device__ unsigned area(unsigned by) const override { return size ^ by; }
};
struct Pair : Shape {
    const Shape *a, *b;
    __device__ Pair(const Shape *a, const Shape *b) : Shape(0), a(a), b(b) {}
    __device__ unsigned area(unsigned by) const override { return a->area(by) + 3 * b->area(by + 1); }
};
";

/// The three classes on the host.
fn area(kind: u32, size: u32, by: u32) -> u32 {
    match kind {
        0 => size.wrapping_mul(size).wrapping_add(by),
        1 => size ^ by,
        _ => area(0, size, by).wrapping_add(area(1, size, by.wrapping_add(1)).wrapping_mul(3)),
    }
}

#[test]
fn lanes_call_different_functions_of_objects_in_every_memory() {
    let kernels = [
        // Locals.
        "Square s(v); Line l(v); Pair p(&s, &l); const Shape *all[3] = {&s, &l, &p}; out[t] = all[v % 3]->area(t);",
        // Shared memory, made by one thread and used by its neighbour.
        "__shared__ alignas(8) char bytes[64][3][32];
         Square *s = new (bytes[t][0]) Square(v); Line *l = new (bytes[t][1]) Line(v); new (bytes[t][2]) Pair(s, l);
         __syncthreads();
         unsigned n = t ^ 1; out[n] = ((const Shape *)bytes[n][in[n] % 3])->area(n);",
        // Global memory.
        "Square *s = new (store[t][0]) Square(v); Line *l = new (store[t][1]) Line(v); new (store[t][2]) Pair(s, l);
         __syncthreads();
         unsigned n = 63 - t; Shape *p = (Shape *)store[n][in[n] % 3]; out[n] = p->area(n); p->~Shape();",
    ];
    let input = numbers(64);
    let expected: Vec<u32> = (0..64).map(|t| area(input[t as usize] % 3, input[t as usize], t)).collect();
    for body in kernels {
        let text = format!(
            "{SHAPES}__device__ alignas(8) char store[64][3][32];
            extern \"C\" __global__ void k(unsigned *out, const unsigned *in) {{
                unsigned t = threadIdx.x, v = in[t]; {body}
            }}"
        );
        assert_eq!(run_in_modes(&text, 64, &input, 64, true), expected, "{body}");
    }
}

#[test]
fn objects_that_no_constructor_has_made() {
    let text = |pointer: &str| {
        format!(
            "{SHAPES}__device__ alignas(8) char zeros[64];
            extern \"C\" __global__ void k(unsigned *out) {{ Square s(1); out[0] = s.size; Shape *p = {pointer}; out[0] = p->area(1); }}"
        )
    };
    let found = |pointer: &str| attempt(&text(pointer), 1, &[vec![0; 4]]).unwrap_err();
    assert!(found("(Shape *)zeros").contains("no constructor has made"), "{}", found("(Shape *)zeros"));
    assert!(found("nullptr").contains("null"), "{}", found("nullptr"));
}

#[test]
fn members_without_a_value_are_found_beside_the_table() {
    let text = "struct Base { int x; __device__ virtual int get() const { return x; } };
        struct Derived : Base { int y; __device__ int get() const override { return y; } };
        extern \"C\" __global__ void k(int *out) { Derived d; d.x = 1; const Base &b = d; out[0] = b.get(); }";
    let found = attempt(text, 1, &[vec![0; 4]]).map(|_| String::new()).unwrap_or_else(|why| why);
    assert!(found.contains("uninitialized"), "{found}");
}
