//! Limits of a launch: what the device, the kernel and its parameters allow.

use crate::fault::{Fault, FaultKind};
use crate::launch::{Launch, Options};
use simt_ir::{Constant, ElementType, Kernel, ParamKind};

/// Bytes of local memory that a thread may have.
const LOCAL_BYTES: u32 = 512 << 10;

/// Limits and arguments; gives the bytes of the block's shared segment.
pub(crate) fn check_launch(kernel: &Kernel, launch: &Launch, options: &Options) -> Result<u32, Box<Fault>> {
    let refuse = |kind| Err(Box::new(Fault::launch(kind, Some(kernel.location))));
    if launch.grid.contains(&0) || launch.block.contains(&0) {
        return refuse(FaultKind::EmptyLaunch);
    }
    let product = |d: [u32; 3]| d.iter().try_fold(1u64, |n, e| n.checked_mul(u64::from(*e)));
    let threads = product(launch.block).unwrap_or(u64::MAX);
    let bounds = kernel.max_threads.unwrap_or(options.limits.max_threads);
    let limit = u64::from(bounds.min(options.limits.max_threads));
    let launch_bounds = bounds < options.limits.max_threads;
    if threads > limit {
        return refuse(FaultKind::BlockTooLarge { threads, limit, launch_bounds });
    }
    if launch.block[2] > 64 {
        let threads = u64::from(launch.block[2]);
        return refuse(FaultKind::BlockTooLarge { threads, limit: 64, launch_bounds: false });
    }
    for (axis, limit) in [(0, u64::from(i32::MAX as u32)), (1, 65535), (2, 65535)] {
        let blocks = u64::from(launch.grid[axis]);
        if blocks > limit {
            return refuse(FaultKind::GridTooLarge { axis: axis as u32, blocks, limit });
        }
    }
    // Blocks are numbered by 32 bits, less two for marks.
    match product(launch.grid) {
        Some(blocks) if blocks < u64::from(u32::MAX) - 2 => {}
        blocks => {
            let limit = u64::from(u32::MAX) - 2;
            return refuse(FaultKind::GridTooLarge { axis: 0, blocks: blocks.unwrap_or(u64::MAX), limit });
        }
    }
    if let (Some(limit), Some(blocks)) = (launch.cooperative, product(launch.grid))
        && blocks > limit
    {
        return refuse(FaultKind::CooperativeTooLarge { blocks, limit });
    }
    if kernel.shared.iter().any(|v| v.offset.checked_add(v.bytes).is_none()) {
        return refuse(FaultKind::InvalidModule { message: "shared memory ends beyond 4 GiB".into() });
    }
    let declared = kernel.static_shared_bytes();
    let dynamic = kernel.shared.iter().find(|v| v.dynamic).map_or(declared, |v| v.offset.max(declared));
    let total = u64::from(dynamic) + u64::from(launch.dynamic_shared);
    if declared > options.limits.static_shared_limit || total > u64::from(options.limits.shared_limit) {
        let over = declared > options.limits.static_shared_limit;
        return refuse(FaultKind::SharedOverLimit {
            declared: u64::from(declared),
            dynamic: u64::from(launch.dynamic_shared),
            limit: u64::from(if over {
                options.limits.static_shared_limit
            } else {
                options.limits.shared_limit
            }),
        });
    }
    let local = kernel.locals.iter().map(|l| u64::from(l.offset) + u64::from(l.bytes)).max().unwrap_or(0);
    if local > u64::from(LOCAL_BYTES) {
        return refuse(FaultKind::LocalOverLimit { bytes: local, limit: u64::from(LOCAL_BYTES) });
    }
    check_arguments(kernel, launch)?;
    Ok(total as u32)
}

fn check_arguments(kernel: &Kernel, launch: &Launch) -> Result<(), Box<Fault>> {
    let refuse = |index: usize, message: String| {
        let kind = FaultKind::LaunchArgument { index: index as u32, message };
        Err(Box::new(Fault::launch(kind, Some(kernel.location))))
    };
    if launch.args.len() != kernel.params.len() {
        let message = format!("{} arguments for {} parameters", launch.args.len(), kernel.params.len());
        return refuse(launch.args.len().min(kernel.params.len()), message);
    }
    for (index, (param, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
        let expected = param.kind.register();
        if arg.ty() != expected {
            return refuse(index, format!("a {:?} for a parameter of type {expected:?}", arg.ty()));
        }
        if let (
            ParamKind::Scalar(ElementType::U8 | ElementType::U16 | ElementType::S8 | ElementType::S16),
            Constant::I32(value),
        ) = (param.kind, arg)
        {
            let fits = match param.kind {
                ParamKind::Scalar(ElementType::U8) => *value <= 0xff,
                ParamKind::Scalar(ElementType::U16) => *value <= 0xffff,
                ParamKind::Scalar(ElementType::S8) => i8::try_from(*value as i32).is_ok(),
                _ => i16::try_from(*value as i32).is_ok(),
            };
            if !fits {
                return refuse(
                    index,
                    format!("{} is outside the range of the parameter's type", *value as i32),
                );
            }
        }
    }
    Ok(())
}
