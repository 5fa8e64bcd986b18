// EXPECT: 4 7 7 9 11 11 9 14 12 12 15 14 0 14 1 100 100 7 50 20 19 19 27 25 3 4 0 6 9 9 2 35 25 2 2 5 0 1 0 1 -3 127 0 12 4 1 5 0 2 1 1 2 4 0 1 0 25 27 488 59
// cuda::atomic and its like: every operation, by one thread.
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> counter{3};
__device__ cuda::atomic<unsigned> zero;
struct Pair { int a, b; };
enum E { A, B, C };
__global__ void k(int *out) {
  int n = 0;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> s;
  s.store(4, cuda::memory_order_relaxed);
  out[n++] = s.fetch_add(3); out[n++] = s.load(cuda::memory_order_acquire); out[n++] = s; s = 9; out[n++] = s++; out[n++] = ++s; out[n++] = s--; out[n++] = --s; out[n++] = s += 5; out[n++] = s -= 2; out[n++] = s &= 0xfc; out[n++] = s |= 3; out[n++] = s ^= 1;
  int e = 5; out[n++] = s.compare_exchange_strong(e, 100); out[n++] = e; out[n++] = s.compare_exchange_weak(e, 100, cuda::memory_order_acq_rel, cuda::memory_order_acquire); out[n++] = s.load();
  out[n++] = s.exchange(7, cuda::std::memory_order_release); out[n++] = s.fetch_max(50); out[n++] = s.fetch_min(20); out[n++] = s.fetch_sub(1); out[n++] = s.fetch_and(0x13); out[n++] = s.fetch_or(8); out[n++] = s.fetch_xor(2); out[n++] = s;
  out[n++] = counter.fetch_add(1, cuda::memory_order_relaxed); out[n++] = counter; out[n++] = zero.load();
  out[40] = 1; cuda::atomic_ref<int, cuda::thread_scope_device> r(out[40]); r.fetch_add(5); out[n++] = r; r = 8; r++; out[n++] = out[40]; out[n++] = cuda::atomic_ref<int>(out[40]).exchange(2); cuda::atomic_ref q{out[40]}; out[n++] = q.load();
  cuda::std::atomic<float> f(1.5f); f += 2; out[n++] = (int)(f * 10); f.fetch_sub(1.0f); out[n++] = (int)(f.load() * 10); out[n++] = (int)f.exchange(8);
  cuda::atomic<double, cuda::thread_scope_thread> d(2); out[n++] = d.fetch_max(5.0); out[n++] = d;
  cuda::atomic<bool> b(false); out[n++] = b.exchange(true); out[n++] = b; bool x = false; out[n++] = b.compare_exchange_strong(x, false); out[n++] = x;
  cuda::atomic<signed char> c((signed char)-3); out[n++] = c.fetch_add(-126); out[n++] = c; cuda::atomic<unsigned short> us(65535); us++; out[n++] = us;
  cuda::atomic<Pair> p(Pair{1, 2}); Pair o = p.exchange(Pair{3, 4}); out[n++] = o.a * 10 + o.b; out[n++] = p.load().b; Pair w{3, 4}; out[n++] = p.compare_exchange_strong(w, Pair{5, 6}); out[n++] = p.load().a;
  cuda::atomic<int *> pt(out); out[n++] = (int)(pt.fetch_add(2) - out); out[n++] = (int)(pt.load() - out); pt--; out[n++] = (int)(pt.load() - out); 
  cuda::atomic<E> en(B); out[n++] = en.exchange(C); out[n++] = en.load();
  cuda::atomic<unsigned long long> ull(1ull << 40); out[n++] = (int)(ull.fetch_add(1) >> 38); 
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block); cuda::std::atomic_thread_fence(cuda::std::memory_order_acquire);
  cuda::atomic_flag<cuda::thread_scope_block> fl(false); out[n++] = fl.test_and_set(); out[n++] = fl.test(); fl.clear(); out[n++] = fl.test();
  out[n++] = cuda::atomic_fetch_add_explicit(&s, 2, cuda::memory_order_relaxed); out[n++] = cuda::atomic_load(&s); out[n++] = sizeof(cuda::atomic<int>) * 100 + sizeof(cuda::atomic<double>) * 10 + sizeof(cuda::atomic_ref<int>); out[n++] = n;
}
