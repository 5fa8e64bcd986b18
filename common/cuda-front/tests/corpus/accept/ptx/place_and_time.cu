// Special registers whose value depends on the device: where a block runs, and the time.
__global__ void ptx(unsigned *out, unsigned long long *time) {
    unsigned long long begin;
    unsigned sm, sms, low, high, rank, ranks, x;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(low));
    asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(high));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(ranks));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
    out[0] = sm < sms && rank < ranks && x <= blockIdx.x;
    *time = begin + low + high;
}
