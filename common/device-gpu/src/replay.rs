//! Records the requests to a GPU, so that the simulator can repeat a failed launch and explain it.
//!
//! A fault destroys the device's memory, so the record keeps the data on the host, up to [`KEPT_BYTES`]. When the
//! last buffer is freed, the record forgets everything except the values of variables.

use ::device::{
    Argument, BufferId, Device, DeviceError, LaunchRequest, Messages, ProgramId, SurfaceDescription,
    SurfaceId, TextureDescription, TextureId,
};
use std::collections::HashMap;

/// Maximum bytes of recorded host data.
const KEPT_BYTES: usize = 256 << 20;

/// One recorded request.
enum Step {
    Alloc(BufferId, u64),
    Free(BufferId),
    Write(BufferId, u64, Vec<u8>),
    Poison(BufferId),
    Texture(TextureId, BufferId, TextureDescription),
    Surface(SurfaceId, BufferId, SurfaceDescription),
    Launch(LaunchRequest),
}

/// The recorded requests since the device had no buffer.
#[derive(Default)]
pub(crate) struct Record {
    steps: Vec<Step>,
    symbols: HashMap<(ProgramId, String), Vec<u8>>,
    live: usize,
    bytes: usize,
    is_full: bool,
}

impl Record {
    fn push(&mut self, bytes: usize, step: impl FnOnce() -> Step) {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > KEPT_BYTES {
            self.is_full = true;
            self.steps.clear();
        }
        if !self.is_full {
            self.steps.push(step());
        }
    }

    /// Makes the record unusable until all buffers are freed, because the device's memory no longer matches it.
    pub(crate) fn invalidate(&mut self) {
        self.is_full = true;
        self.steps.clear();
    }

    pub(crate) fn alloc(&mut self, buffer: BufferId, bytes: u64) {
        self.live += 1;
        self.push(0, || Step::Alloc(buffer, bytes));
    }

    pub(crate) fn free(&mut self, buffer: BufferId) {
        self.live = self.live.saturating_sub(1);
        self.push(0, || Step::Free(buffer));
        if self.live == 0 {
            let symbols = std::mem::take(&mut self.symbols);
            *self = Record { symbols, ..Record::default() };
        }
    }

    pub(crate) fn write(&mut self, buffer: BufferId, offset: u64, bytes: &[u8]) {
        self.push(bytes.len(), || Step::Write(buffer, offset, bytes.to_vec()));
    }

    pub(crate) fn poison(&mut self, buffer: BufferId) {
        self.push(0, || Step::Poison(buffer));
    }

    pub(crate) fn texture(&mut self, texture: TextureId, buffer: BufferId, what: &TextureDescription) {
        self.push(0, || Step::Texture(texture, buffer, *what));
    }

    pub(crate) fn surface(&mut self, surface: SurfaceId, buffer: BufferId, what: &SurfaceDescription) {
        self.push(0, || Step::Surface(surface, buffer, *what));
    }

    pub(crate) fn symbol(&mut self, program: ProgramId, name: &str, bytes: &[u8]) {
        let kept = self.symbols.entry((program, name.to_owned())).or_default();
        kept.resize(kept.len().max(bytes.len()), 0);
        kept[..bytes.len()].copy_from_slice(bytes);
    }

    pub(crate) fn launch(&mut self, launch: &LaunchRequest) {
        self.push(64, || Step::Launch(launch.clone()));
    }

    /// Repeats the recorded requests and then `last` on `device`, which has the same programs. Returns the
    /// diagnostics of the repeated launch (empty if it succeeds), or `None` if the launch cannot be repeated.
    pub(crate) fn diagnose(&self, device: &mut dyn Device, last: &LaunchRequest) -> Option<Messages> {
        if self.is_full {
            return None;
        }
        for ((program, name), bytes) in &self.symbols {
            device.set_symbol(*program, name, bytes).ok()?;
        }
        let (buffers, textures, surfaces) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut repeat = Repeat { device, buffers, textures, surfaces };
        let done = self.steps.iter().try_for_each(|step| repeat.step(step));
        let outcome = done.and_then(|()| repeat.launch(last));
        let buffers: Vec<BufferId> = repeat.buffers.into_values().collect();
        buffers.into_iter().for_each(|b| drop(device.free(b)));
        match outcome {
            Ok(()) => Some(Messages::default()),
            Err(DeviceError::Launch { messages, .. }) => Some(messages),
            Err(DeviceError::Compile(_) | DeviceError::OutOfMemory { .. } | DeviceError::Use(_)) => None,
        }
    }
}

/// A repetition in progress. The maps translate recorded handles into handles of `device`.
struct Repeat<'d> {
    device: &'d mut dyn Device,
    buffers: HashMap<BufferId, BufferId>,
    textures: HashMap<TextureId, TextureId>,
    surfaces: HashMap<SurfaceId, SurfaceId>,
}

impl Repeat<'_> {
    fn buffer(&self, buffer: BufferId) -> Result<BufferId, DeviceError> {
        let unknown = || DeviceError::Use(format!("there is no buffer {}", buffer.0));
        self.buffers.get(&buffer).copied().ok_or_else(unknown)
    }

    fn step(&mut self, step: &Step) -> Result<(), DeviceError> {
        match step {
            Step::Alloc(buffer, bytes) => {
                let own = self.device.alloc(*bytes)?;
                self.buffers.insert(*buffer, own);
                Ok(())
            }
            Step::Free(buffer) => {
                let own = self.buffer(*buffer)?;
                self.buffers.remove(buffer);
                self.device.free(own)
            }
            Step::Write(buffer, offset, bytes) => self.device.write(self.buffer(*buffer)?, *offset, bytes),
            Step::Poison(buffer) => self.device.poison(self.buffer(*buffer)?),
            Step::Texture(texture, buffer, what) => {
                let own = self.device.create_texture(self.buffer(*buffer)?, what)?;
                self.textures.insert(*texture, own);
                Ok(())
            }
            Step::Surface(surface, buffer, what) => {
                let own = self.device.create_surface(self.buffer(*buffer)?, what)?;
                self.surfaces.insert(*surface, own);
                Ok(())
            }
            Step::Launch(launch) => self.launch(launch),
        }
    }

    fn launch(&mut self, launch: &LaunchRequest) -> Result<(), DeviceError> {
        let argument = |argument: &Argument| match *argument {
            Argument::Buffer(buffer) => self.buffer(buffer).map(Argument::Buffer),
            Argument::Texture(texture) => match self.textures.get(&texture) {
                Some(own) => Ok(Argument::Texture(*own)),
                None => Err(DeviceError::Use(format!("there is no texture {}", texture.0))),
            },
            Argument::Surface(surface) => match self.surfaces.get(&surface) {
                Some(own) => Ok(Argument::Surface(*own)),
                None => Err(DeviceError::Use(format!("there is no surface {}", surface.0))),
            },
            other => Ok(other),
        };
        let arguments = launch.arguments.iter().map(argument).collect::<Result<Vec<_>, _>>()?;
        self.device.launch(&LaunchRequest { arguments, ..launch.clone() }).map(drop)
    }
}
