//! What a worker gives up before it begins.
//!
//! Each step stands for itself: one that this system does not have, or refuses, leaves the others in force.

use crate::{Limits, Protection, Work, pool};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::iter;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// Open files: the pipe, the standard streams, and what the work reads.
const FILES: u64 = 64;

/// Takes from the calling process what its work does not need; `own` is what it alone may read.
pub(crate) fn confine(limits: &Limits, own: &[PathBuf]) {
    limit(Resource::Core, 0, 0);
    limit(Resource::Fsize, 0, 0);
    limit(Resource::Nofile, FILES, FILES);
    // The signal of the soft limit ends it; the hard limit is for who would catch that.
    let seconds = limits.cpu.as_secs().max(1);
    limit(Resource::Cpu, seconds, seconds + 1);
    let memory = memory_now().saturating_add(limits.memory);
    limit(Resource::Data, memory, memory);
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        // The result of a worker whose parent was killed would be lost.
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
    linux::confine(limits, own);
}

/// Sets a limit, but never above the one that is in force.
fn limit(resource: Resource, soft: u64, hard: u64) {
    let now = getrlimit(resource);
    let least = |new: u64, old: Option<u64>| Some(old.map_or(new, |old| old.min(new)));
    let hard = least(hard, now.maximum);
    let soft = least(soft, now.current).min(hard);
    let _ = setrlimit(resource, Rlimit { current: soft, maximum: hard });
}

/// Bytes that count for the limit on memory and are in use already.
#[cfg(target_os = "linux")]
fn memory_now() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmData:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

#[cfg(not(target_os = "linux"))]
fn memory_now() -> u64 {
    0
}

/// What a worker of this system finds closed: it tries.
pub(crate) fn protections() -> Vec<Protection> {
    let limits = Limits {
        memory: 64 << 20,
        cpu: Duration::from_secs(5),
        wall: Duration::from_secs(5),
        output: 64,
        readable: Vec::new(),
    };
    let tries = |_| {
        let memory = getrlimit(Resource::Data).current.is_some() && cfg!(target_os = "linux");
        let cpu = getrlimit(Resource::Cpu).current.is_some();
        let files = std::fs::read_dir("/").is_err();
        let network = std::net::UdpSocket::bind("127.0.0.1:0").is_err();
        [memory, cpu, files, network].map(u8::from).to_vec()
    };
    let work = Work { run: &tries, reads: &|_| Vec::new() };
    let mut closed = None;
    pool::run(1, &limits, &mut iter::once(0), work, &mut |_, result| {
        closed = result.ok();
        ControlFlow::Continue(())
    });
    let by = |at: usize, means| closed.as_ref().filter(|c| c.get(at) == Some(&1)).map(|_| means);
    vec![
        Protection { purpose: "a process for each", by: closed.as_ref().map(|_| "fork") },
        Protection { purpose: "memory", by: by(0, "setrlimit") },
        Protection { purpose: "processor time", by: by(1, "setrlimit") },
        Protection { purpose: "files", by: by(2, "Landlock") },
        Protection { purpose: "network", by: by(3, "seccomp") },
    ]
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
)))]
mod linux {
    pub(super) fn confine(_limits: &crate::Limits, _own: &[std::path::PathBuf]) {}
}
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod linux {
    use crate::Limits;
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    pub(super) fn confine(limits: &Limits, own: &[PathBuf]) {
        // Refusals here are those of a kernel without Landlock or seccomp; `protections` says so.
        let _ = crate::landlock::restrict_to(limits.readable.iter().chain(own));
        let _ = filter().map(|filter| seccompiler::apply_filter(&filter));
    }

    /// The system calls of computation on memory, of reading files, and of writing to what is open. Others fail with `EPERM`, which is what
    /// libraries are prepared for.
    fn filter() -> Option<BpfProgram> {
        let allowed = [
            libc::SYS_read,
            libc::SYS_readv,
            libc::SYS_pread64,
            libc::SYS_write,
            libc::SYS_writev,
            libc::SYS_close,
            libc::SYS_lseek,
            libc::SYS_fstat,
            libc::SYS_statx,
            libc::SYS_getcwd,
            libc::SYS_readlinkat,
            libc::SYS_getdents64,
            libc::SYS_mmap,
            libc::SYS_munmap,
            libc::SYS_mremap,
            libc::SYS_mprotect,
            libc::SYS_madvise,
            libc::SYS_brk,
            libc::SYS_futex,
            libc::SYS_sched_yield,
            libc::SYS_sched_getaffinity,
            libc::SYS_clock_gettime,
            libc::SYS_getrandom,
            libc::SYS_rt_sigaction,
            libc::SYS_rt_sigprocmask,
            libc::SYS_rt_sigreturn,
            libc::SYS_sigaltstack,
            libc::SYS_getpid,
            libc::SYS_gettid,
            libc::SYS_exit,
            libc::SYS_exit_group,
            libc::SYS_newfstatat,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_readlink,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_stat,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_lstat,
        ];
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            allowed.into_iter().map(|call| (call, Vec::new())).collect();
        let access = libc::O_ACCMODE as u64;
        let reads = SeccompCondition::new(
            2,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::MaskedEq(access | libc::O_CREAT as u64 | libc::O_TRUNC as u64),
            libc::O_RDONLY as u64,
        );
        rules.insert(libc::SYS_openat, vec![SeccompRule::new(vec![reads.ok()?]).ok()?]);
        // `abort` sends a signal to the process itself; no other may be sent.
        let own = u64::from(std::process::id());
        let itself = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, own);
        rules.insert(libc::SYS_tgkill, vec![SeccompRule::new(vec![itself.ok()?]).ok()?]);
        // Limits may be read, as `protections` does, and none set: there is no new limit. `rustix` takes it that reading them succeeds.
        let none = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0);
        rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![none.ok()?]).ok()?]);
        let arch = std::env::consts::ARCH.try_into().ok()?;
        let other = SeccompAction::Errno(libc::EPERM as u32);
        SeccompFilter::new(rules, other, SeccompAction::Allow, arch).ok()?.try_into().ok()
    }
}
