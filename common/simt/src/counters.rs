//! The numbers that a launch yields, by the profiler's definitions (Nsight Compute): totals and per source location.

/// What is counted in several parts of a launch.
pub(crate) trait Count {
    /// Adds the counts of that many parts, at least one, that are all like this one.
    fn add_times(&mut self, times: u64, other: &Self);
}

impl Count for u64 {
    fn add_times(&mut self, times: u64, other: &u64) {
        *self += times * other;
    }
}

/// Structs of counts, to which those of other parts are added one by one.
macro_rules! counts {
    ($($(#[$about:meta])* pub struct $name:ident { $($(#[$of:meta])* pub $count:ident: $ty:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$of])* pub $count: $ty,)* }

        impl Count for $name {
            fn add_times(&mut self, times: u64, other: &$name) {
                $(self.$count.add_times(times, &other.$count);)*
            }
        }
    )*};
}

counts! {
    /// Traffic of one kind to global or local memory.
    pub struct Traffic {
        /// Warp-level memory instructions. Under [`crate::MemoryRules::Compute1`] each half-warp is one.
        pub requests: u64,
        /// 32-byte sectors touched, summed over requests.
        pub sectors: u64,
        /// Bytes that the threads asked for.
        pub bytes: u64,
    }

    /// What happened, counted.
    pub struct Counters {
        /// Instructions executed, once per warp.
        pub warp_instructions: u64,
        /// Instructions executed, once for each active lane.
        pub thread_instructions: u64,
        /// Loads from global memory.
        pub global_load: Traffic,
        /// Stores to global memory.
        pub global_store: Traffic,
        /// Loads from local memory.
        pub local_load: Traffic,
        /// Stores to local memory.
        pub local_store: Traffic,
        /// Loads from shared memory.
        pub shared_load: SharedTraffic,
        /// Stores to shared memory.
        pub shared_store: SharedTraffic,
        /// Warp-level loads from constant memory.
        pub constant_instructions: u64,
        /// Requests to the constant cache: one for each different word that such an instruction reads.
        pub constant_requests: u64,
        /// Requests to the texture unit: eight lanes each.
        pub texture_requests: u64,
        /// 32-byte sectors that they touch.
        pub texture_sectors: u64,
        /// Warp-level atomics on global memory.
        pub global_atomics: u64,
        /// 32-byte sectors that they touch.
        pub global_atomic_sectors: u64,
        /// Warp-level atomics on shared memory.
        pub shared_atomics: u64,
        /// Passes that they take, as loads of the same words would.
        pub shared_atomic_wavefronts: u64,
        /// Sectors of global and local loads found in L1.
        pub l1_load_sector_hits: u64,
        /// Fused multiply-adds of `float`, once a thread.
        pub ffma: u64,
        /// Sums and differences of `float`, once a thread.
        pub fadd: u64,
        /// Products of `float`, once a thread.
        pub fmul: u64,
        /// Fused multiply-adds of `double`, once a thread.
        pub dfma: u64,
        /// Sums and differences of `double`, once a thread.
        pub dadd: u64,
        /// Products of `double`, once a thread.
        pub dmul: u64,
        /// Operations of tensor cores: a product and a sum each, over all lanes.
        pub tensor: u64,
        /// Divisions, roots and other functions of floats, once a thread.
        pub special: u64,
        /// Warp-level conditional branches.
        pub branches: u64,
        /// Those whose lanes went both ways.
        pub divergent_branches: u64,
        /// Shuffles, votes and reads of the mask of active lanes, once per warp.
        pub exchanges: u64,
        /// Warp-level arrivals at block barriers.
        pub barriers: u64,
        /// Warp-level arrivals at barriers in shared memory (`cuda::barrier`).
        pub phase_arrivals: u64,
    }
}

/// Traffic of one kind to shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedTraffic {
    /// Warp-level memory instructions.
    pub requests: u64,
    /// Passes that they took.
    pub wavefronts: u64,
    /// Passes beyond those that the same accesses take without bank conflicts.
    pub conflicts: u64,
    /// The worst conflict of one request: 1 for none, 2 for two-way and so on; 0 if there was no request.
    pub max_degree: u64,
}

impl Count for SharedTraffic {
    fn add_times(&mut self, times: u64, other: &SharedTraffic) {
        self.requests += times * other.requests;
        self.wavefronts += times * other.wavefronts;
        self.conflicts += times * other.conflicts;
        self.max_degree = self.max_degree.max(other.max_degree);
    }
}

impl Counters {
    /// Adds the counts of another part of the launch.
    pub fn add(&mut self, other: &Counters) {
        self.add_times(1, other);
    }
}
