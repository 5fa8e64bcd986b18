//! Prepares a launch for the driver: argument values, memory that the kernel may change, and checks of the device's
//! limits.

use super::GpuDevice;
use crate::arguments::Packed;
use crate::fault::Fault;
use crate::memory::Region;
use crate::surface::Surface;
use crate::timing::Bound;
use ::device::{Argument, DeviceError, LaunchRequest, Messages, ParameterKind};
use source::{Code, Diagnostic};

impl GpuDevice {
    /// Prepares a launch for the driver.
    pub(super) fn bind(&self, launch: &LaunchRequest) -> Result<Bound, DeviceError> {
        let program = self.program(launch.program)?;
        let kernel = program.info.kernel(&launch.kernel);
        let kernel = kernel
            .ok_or_else(|| DeviceError::Use(format!("the program has no kernel `{}`", launch.kernel)))?;
        let (given, taken) = (launch.arguments.len(), kernel.parameters.len());
        if given != taken {
            return Err(DeviceError::Use(format!(
                "`{}` has {taken} parameters, but {given} arguments were given",
                launch.kernel
            )));
        }
        let mut bound = Bound {
            function: program.function(&launch.kernel)?,
            shape: launch.shape,
            cooperative: launch.options.cooperative,
            arguments: Packed::new(&kernel.arguments),
            pointers: Vec::new(),
            buffers: Vec::new(),
            changeable: Vec::new(),
            surfaces: Vec::new(),
        };
        for (index, (argument, parameter)) in launch.arguments.iter().zip(&kernel.parameters).enumerate() {
            argument.check(parameter)?;
            let value = match *argument {
                Argument::Null => 0,
                Argument::Buffer(buffer) => {
                    let region = self.region(buffer)?;
                    let known = bound.buffers.iter().position(|b| *b == region);
                    let memory = known.unwrap_or(bound.buffers.len());
                    if known.is_none() {
                        bound.buffers.push(region);
                    }
                    bound.pointers.push((index, memory));
                    let written = !matches!(parameter.kind, ParameterKind::Pointer { read_only: true, .. });
                    if written && !bound.changeable.contains(&region) {
                        bound.changeable.push(region);
                    }
                    region.address
                }
                Argument::Texture(texture) => {
                    let unknown = || DeviceError::Use(format!("there is no texture {}", texture.0));
                    self.textures.get(&texture).ok_or_else(unknown)?.1.object()
                }
                Argument::Surface(surface) => {
                    let unknown = || DeviceError::Use(format!("there is no surface {}", surface.0));
                    let (buffer, found) = self.surfaces.get(&surface).ok_or_else(unknown)?;
                    bound.surfaces.push((surface, self.region(*buffer)?));
                    found.object()
                }
                Argument::I32(v) => u64::from(v as u32),
                Argument::U32(v) => u64::from(v),
                Argument::I64(v) => v as u64,
                Argument::U64(v) => v,
                Argument::F32(v) => u64::from(v.to_bits()),
                Argument::F64(v) => v.to_bits(),
                Argument::Bool(v) => u64::from(v),
            };
            bound.arguments.set(index, value);
        }
        bound.changeable.extend(program.changeable()?);
        self.limits(&bound)?;
        Ok(bound)
    }

    /// Checks the limits that the driver would report only as "invalid value", so that the diagnostic names the
    /// limit.
    fn limits(&self, bound: &Bound) -> Result<(), DeviceError> {
        let refuse = |code, title: String, help: &str| {
            let diagnostics = vec![Diagnostic::new(code, title).help(help)];
            Err(DeviceError::launch(Messages { diagnostics, ..Messages::default() }))
        };
        let threads = bound.shape.block.iter().fold(1_u64, |n, b| n.saturating_mul(u64::from(*b)));
        let most = bound.function.max_threads()?.min(self.properties.threads_per_block);
        if threads > u64::from(most) {
            let title = format!(
                "a block of {threads} threads is launched, but the device allows {most} for this kernel"
            );
            let help = "choose a smaller block: width times height times depth is what counts, and registers";
            return refuse(Code::BlockTooLarge, title, help);
        }
        let (declared, dynamic) = (bound.function.static_shared()?, bound.shape.dynamic_shared);
        let (asked, limit) = (u64::from(declared) + u64::from(dynamic), self.properties.shared_per_block);
        if asked > u64::from(limit) {
            let title = format!("a block needs {asked} bytes of shared memory, but may have only {limit}");
            return refuse(Code::SharedMemoryLimit, title, "make the tile smaller");
        }
        if dynamic > 0 {
            bound.function.allow_dynamic_shared(dynamic)?;
        }
        if bound.cooperative {
            let fit = bound.function.resident_blocks(u32::try_from(threads).unwrap_or(u32::MAX), dynamic)?;
            let fit = u64::from(fit) * u64::from(self.properties.multiprocessors);
            let blocks = bound.shape.grid.iter().fold(1_u64, |n, g| n.saturating_mul(u64::from(*g)));
            if blocks > fit {
                let title = format!(
                    "a cooperative launch of {blocks} blocks, but the device can have only {fit} of them resident at \
                    once"
                );
                let help = "launch fewer blocks, each of which does more";
                return refuse(Code::CooperativeLaunchTooLarge, title, help);
            }
        }
        Ok(())
    }

    /// Calls `way`, [`Surface::load`] or [`Surface::store`], for each surface of the launch.
    pub(super) fn surfaces(
        &self,
        bound: &Bound,
        way: fn(&Surface, Region) -> Result<(), Fault>,
    ) -> Result<(), DeviceError> {
        for (surface, region) in &bound.surfaces {
            if let Some((_, found)) = self.surfaces.get(surface) {
                way(found, *region)?;
            }
        }
        Ok(())
    }
}
