//! The memory of a device: its buffers, module variables, textures and surfaces, within one budget.
//!
//! These are the requests of the host (`cudaMalloc`, `cudaMemcpy` and so on), without their asynchrony: each is complete when it returns.

use crate::fault::{Fault, FaultKind};
use crate::machine::memory::buffer::{Buffer, BufferId, MAX_BUFFER_BYTES};
use crate::machine::memory::error::MemoryError;
use crate::machine::memory::heap::HeapMemory;
use crate::machine::memory::scratch;
use crate::machine::memory::surface::{self, SurfaceDesc};
use crate::machine::memory::texture::{self, TextureDesc, TextureSource};
use simt_ir::pointer;
use simt_ir::{GlobalSpace, Module};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// Bytes of `__constant__` memory that a module may have.
pub const CONSTANT_BYTES: u64 = 64 << 10;

/// The number of a loaded module's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(pub(crate) u32);

/// The variables of a loaded module.
#[derive(Clone, Debug)]
pub(crate) struct Symbols {
    /// For each global of the module.
    pub(crate) globals: Vec<Symbol>,
}

#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    Constant(Buffer),
    Device(BufferId),
}

/// All memory of a device.
#[derive(Debug)]
pub struct DeviceMemory {
    pub(crate) buffers: Vec<Option<Buffer>>,
    pub(crate) modules: Vec<Symbols>,
    pub(crate) textures: Vec<Option<TextureDesc>>,
    pub(crate) surfaces: Vec<SurfaceDesc>,
    pub(crate) pool: scratch::ScratchPool,
    /// The heap of the launch at hand, if it allocates.
    pub(crate) heap: Option<HeapMemory>,
    /// Blocks of the heap that all launches so far were given: numbers are not given again soon.
    pub(crate) heap_blocks: u32,
    budget: u64,
    used: u64,
}

impl DeviceMemory {
    /// Empty memory that holds at most `budget` bytes.
    pub fn new(budget: u64) -> DeviceMemory {
        DeviceMemory {
            buffers: Vec::new(),
            modules: Vec::new(),
            textures: Vec::new(),
            surfaces: Vec::new(),
            pool: scratch::ScratchPool::default(),
            heap: None,
            heap_blocks: 0,
            budget,
            used: 0,
        }
    }

    /// A copy, on which a launch can run again.
    pub(crate) fn copied(&self) -> DeviceMemory {
        DeviceMemory {
            buffers: self.buffers.clone(),
            modules: self.modules.clone(),
            textures: self.textures.clone(),
            surfaces: self.surfaces.clone(),
            pool: scratch::ScratchPool::default(),
            heap: None,
            heap_blocks: self.heap_blocks,
            budget: self.budget,
            used: self.used,
        }
    }

    /// Takes the contents of the memory that it is a copy of, without new memory for them.
    pub(crate) fn copy_again(&mut self, of: &DeviceMemory) {
        self.buffers.clone_from(&of.buffers);
        self.modules.clone_from(&of.modules);
        self.heap = None;
    }

    /// Bytes in use.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// A new buffer of `bytes`, poisoned.
    ///
    /// # Errors
    /// If the budget is spent, or the buffer is over [`MAX_BUFFER_BYTES`].
    pub fn alloc(&mut self, bytes: u64) -> Result<BufferId, MemoryError> {
        // One number is left for the heap.
        let full = self.buffers.len() as u32 + 1 >= pointer::HEAP;
        if full || bytes > MAX_BUFFER_BYTES || self.used + bytes > self.budget {
            return Err(MemoryError::OutOfMemory { asked: bytes, used: self.used, budget: self.budget });
        }
        self.used += bytes;
        self.buffers.push(Some(Buffer::new(bytes)));
        Ok(BufferId(self.buffers.len() as u32 - 1))
    }

    /// Gives a launch that allocates its heap, of a buffer of so many bytes.
    pub(crate) fn begin_heap(&mut self, bytes: u64) {
        let buffer = self.buffers.len() as u32;
        self.buffers.push(Some(Buffer::new(bytes)));
        self.heap =
            Some(HeapMemory { buffer, bytes, outgrown: AtomicBool::new(false), given: Mutex::default() });
    }

    /// Before a launch: buffers of which all was written need no marks.
    pub(crate) fn settle(&mut self) {
        self.buffers.iter_mut().flatten().for_each(Buffer::settle);
    }

    /// Takes the heap of a launch away, as it was at its end.
    pub(crate) fn end_heap(&mut self) -> Option<HeapMemory> {
        let heap = self.heap.take()?;
        self.buffers.truncate(heap.buffer as usize);
        Some(heap)
    }

    fn buffer(&self, id: BufferId) -> Result<&Buffer, MemoryError> {
        self.buffers.get(id.0 as usize).and_then(Option::as_ref).ok_or(MemoryError::NoBuffer(id.0))
    }

    fn buffer_mut(&mut self, id: BufferId) -> Result<&mut Buffer, MemoryError> {
        self.buffers.get_mut(id.0 as usize).and_then(Option::as_mut).ok_or(MemoryError::NoBuffer(id.0))
    }

    /// Frees a buffer. Its number is not given again.
    ///
    /// # Errors
    /// If there is no such buffer.
    pub fn free(&mut self, id: BufferId) -> Result<(), MemoryError> {
        self.used -= self.buffer(id)?.bytes;
        self.buffers[id.0 as usize] = None;
        Ok(())
    }

    /// The size of a buffer in bytes.
    ///
    /// # Errors
    /// If there is no such buffer.
    pub fn bytes(&self, id: BufferId) -> Result<u64, MemoryError> {
        Ok(self.buffer(id)?.bytes)
    }

    /// Writes `data` at byte `offset`.
    ///
    /// # Errors
    /// If there is no such buffer, or the range leaves it.
    pub fn write(&mut self, id: BufferId, offset: u64, data: &[u8]) -> Result<(), MemoryError> {
        self.buffer_mut(id)?.write(offset, data)
    }

    /// Reads `out.len()` bytes from byte `offset`.
    ///
    /// # Errors
    /// If there is no such buffer, or the range leaves it.
    pub fn read(&self, id: BufferId, offset: u64, out: &mut [u8]) -> Result<(), MemoryError> {
        self.buffer(id)?.read(offset, out)
    }

    /// Fills a buffer with [`crate::POISON`], and marks each word as not written.
    ///
    /// # Errors
    /// If there is no such buffer.
    pub fn poison(&mut self, id: BufferId) -> Result<(), MemoryError> {
        self.buffer_mut(id)?.poison();
        Ok(())
    }

    /// How many words of a buffer nothing has written since it was allocated or poisoned.
    ///
    /// # Errors
    /// If there is no such buffer.
    pub fn unwritten_words(&self, id: BufferId) -> Result<u64, MemoryError> {
        Ok(self.buffer(id)?.unwritten_words())
    }

    /// Makes the variables of a module, with their initial values.
    ///
    /// # Errors
    /// A fault if it has more constant memory than [`CONSTANT_BYTES`], or device variables over the budget.
    pub fn load(&mut self, module: &Module) -> Result<ModuleId, Box<Fault>> {
        let mut constant = 0u64;
        let mut globals = Vec::with_capacity(module.globals.len());
        for global in &module.globals {
            let zeros = vec![0; global.bytes.min(MAX_BUFFER_BYTES) as usize];
            let initial = if global.initial.is_empty() { &zeros } else { &global.initial };
            let invalid = |e: MemoryError| {
                Box::new(Fault::launch(
                    FaultKind::InvalidModule { message: e.to_string() },
                    Some(global.location),
                ))
            };
            match global.space {
                GlobalSpace::Constant => {
                    constant = constant.next_multiple_of(u64::from(global.align.max(1))) + global.bytes;
                    if constant > CONSTANT_BYTES {
                        let kind = FaultKind::ConstantOverLimit { bytes: constant, limit: CONSTANT_BYTES };
                        return Err(Box::new(Fault::launch(kind, Some(global.location))));
                    }
                    let mut buffer = Buffer::new(global.bytes);
                    buffer.write(0, initial).map_err(invalid)?;
                    globals.push(Symbol::Constant(buffer));
                }
                GlobalSpace::Device => {
                    let id = self.alloc(global.bytes).map_err(invalid)?;
                    self.write(id, 0, initial).map_err(invalid)?;
                    globals.push(Symbol::Device(id));
                }
            }
        }
        self.modules.push(Symbols { globals });
        Ok(ModuleId(self.modules.len() as u32 - 1))
    }

    /// Frees the variables of a module, which has none from then on. A module that is unknown is ignored.
    pub fn unload(&mut self, module: ModuleId) {
        let globals =
            self.modules.get_mut(module.0 as usize).map(|symbols| std::mem::take(&mut symbols.globals));
        for symbol in globals.unwrap_or_default() {
            if let Symbol::Device(buffer) = symbol {
                // It is there: nothing else frees it.
                let _ = self.free(buffer);
            }
        }
    }

    fn symbol(&self, module: ModuleId, global: u32) -> Result<&Symbol, MemoryError> {
        let symbols = self.modules.get(module.0 as usize).ok_or(MemoryError::NoSymbol)?;
        symbols.globals.get(global as usize).ok_or(MemoryError::NoSymbol)
    }

    /// Writes a module variable (`cudaMemcpyToSymbol`): `global` indexes [`Module::globals`].
    ///
    /// # Errors
    /// If there is no such variable, or the range leaves it.
    pub fn write_symbol(
        &mut self,
        module: ModuleId,
        global: u32,
        offset: u64,
        data: &[u8],
    ) -> Result<(), MemoryError> {
        let symbols = self.modules.get_mut(module.0 as usize).ok_or(MemoryError::NoSymbol)?;
        match symbols.globals.get_mut(global as usize).ok_or(MemoryError::NoSymbol)? {
            Symbol::Constant(buffer) => buffer.write(offset, data),
            Symbol::Device(id) => {
                let id = *id;
                self.write(id, offset, data)
            }
        }
    }

    /// Reads a module variable (`cudaMemcpyFromSymbol`).
    ///
    /// # Errors
    /// If there is no such variable, or the range leaves it.
    pub fn read_symbol(
        &self,
        module: ModuleId,
        global: u32,
        offset: u64,
        out: &mut [u8],
    ) -> Result<(), MemoryError> {
        match self.symbol(module, global)? {
            Symbol::Constant(buffer) => buffer.read(offset, out),
            Symbol::Device(id) => self.read(*id, offset, out),
        }
    }

    /// Makes a texture object and gives its handle, a kernel argument of type `I64`.
    ///
    /// # Errors
    /// If the description does not fit its data.
    pub fn create_texture(&mut self, desc: TextureDesc) -> Result<u64, MemoryError> {
        if let TextureSource::Linear { buffer, .. } | TextureSource::Pitch { buffer, .. } = &desc.source {
            desc.check(Some(self.buffer(*buffer)?.bytes))?;
        } else {
            desc.check(None)?;
        }
        self.textures.push(Some(desc));
        Ok(texture::handle(texture::TAG, self.textures.len() - 1))
    }

    /// Makes a surface object over a buffer and gives its handle, a kernel argument of type `I64`.
    ///
    /// # Errors
    /// If the description does not fit the buffer.
    pub fn create_surface(&mut self, desc: SurfaceDesc) -> Result<u64, MemoryError> {
        desc.check(self.buffer(desc.buffer)?.bytes)?;
        self.surfaces.push(desc);
        Ok(texture::handle(surface::TAG, self.surfaces.len() - 1))
    }

    /// Destroys a texture object.
    ///
    /// # Errors
    /// If there is none of that handle.
    pub fn destroy_texture(&mut self, handle: u64) -> Result<(), MemoryError> {
        let slot = texture::index(texture::TAG, handle).and_then(|i| self.textures.get_mut(i));
        match slot {
            Some(slot) if slot.is_some() => {
                *slot = None;
                Ok(())
            }
            _ => Err(MemoryError::NoTexture(handle)),
        }
    }
}
