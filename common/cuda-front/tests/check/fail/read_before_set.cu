__device__ float g(float*); __device__ float h(const float&); __device__ void o(float&);
__device__ float g(float*p){return *p;} __device__ float h(const float&p){return p;} __device__ void o(float&p){p=1;}
__global__ void ok(float* a, int n) {
  float prev; for (int i = 0; i < n; i++) { if (i > 0) a[i] += prev; prev = a[i]; }
  float q; for (int i = 0;; i++, q = 1) { if (!i) continue; a[0] += q; if (i > n) break; }
  float r; int k = 0; while (k < n) { if (k == 0) { r = a[0]; k++; continue; } a[k] = r; k++; }
  float s; if (n > 3) s = 1; a[1] = s;
  float t; o(t); a[2] = t;
  float v[4]; for (int i = 0; i < 4; i++) v[i] = i; a[3] = v[2];
  float w; bool first = true; do { if (!first) a[4] = w; w = 2; first = false; } while (n-- > 0);
  int z; for (int i = 0; i < n; i++) { switch (i) { case 0: z = 1; break; default: a[i] = z; } }
  float y; asm("mov.f32 %0, 0f00000000;" : "=f"(y)); a[5] = y;
  int u; (void)u;
  float m; for (int i = 0; i < n; i++) { m = i ? m + a[i] : a[i]; } a[7] = m;
  auto f = [&](int i) { return a[i]; }; float c; auto set = [&] { c = 3; }; set(); a[8] = c + f(1);
  float x1, x2; sincosf(a[0], &x1, &x2); a[9] = x1 + x2;
  int lane; goto next; next: lane = 3; a[10] = lane;
}
__global__ void bad(float* a, int n) {
  float a1; a[0] = a1;
  float a2; for (int i = 0; i < n; i++) a2 += a[i];
  float a3; for (int i = 0; i < n; i++) if (a[i] > 0) a3 += a[i];
  float a4; if (n) a[1] = a4; 
  float a5[3]; a[2] = a5[1];
  int a6; for (int i = 0; i < n; i++) a[i] = a6;
  float a7; if (n) a[0] = 1; else a[1] = a7; a7 = 1;
  float a8; while (a8 < 3) a8++;
}
