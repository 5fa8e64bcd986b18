//! Texture reads, by groups of eight lanes as the texture unit takes them.
//!
//! How coordinates become elements is defined in [`crate::machine::memory::texture`]; here are handles, registers and buffers.

use crate::fault::FaultKind;
use crate::machine::context::{BufferView, Machine};
use crate::machine::event::{InstSite, LaneFault, LoadedWords, WordSource};
use crate::machine::mask::lanes;
use crate::machine::memory::texture::{TextureQuery, find};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, WarpRegs, WarpRegsMut};
use crate::plan::TextureRead;
use crate::watch::WatchedPath;
use std::sync::atomic::Ordering::Relaxed;

impl Machine<'_> {
    fn buffer_byte(&self, buffer: u32, at: u64) -> u8 {
        let word = match self.buffers.get(buffer as usize) {
            Some(BufferView::ReadOnly { words, .. }) => words.get((at / 4) as usize).copied(),
            Some(BufferView::Written(view)) => view.words.get((at / 4) as usize).map(|w| w.load(Relaxed)),
            Some(BufferView::Freed) | None => None,
        };
        (word.unwrap_or(0) >> (at % 4 * 8)) as u8
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    pub(crate) fn texture(
        &mut self,
        at: &InstSite,
        read: &TextureRead,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let regs = &self.warp.regs;
        let handles = regs.lanes64(read.texture);
        let mut at_lanes = [Lanes([0; 32]); 3];
        for (lane, src) in at_lanes.iter_mut().zip(&read.coordinates) {
            *lane = regs.lanes32(*src);
        }
        let layers = read.layer.map_or(Lanes([0; 32]), |layer| regs.lanes32(layer));
        let mut out = [Lanes([0u32; 32]); 4];
        let mut texels = std::mem::take(self.texels);
        for group in 0..4 {
            texels.clear();
            let mut number = None;
            for i in lanes(active & 0xff << (group * 8)) {
                let handle = handles.0[i];
                let (n, desc) = find(machine.textures, handle, read.shape).map_err(|message| {
                    LaneFault::of(FaultKind::InvalidTexture { handle, message }, 1 << i)
                })?;
                number = Some(n);
                let point = [0, 1, 2].map(|axis: usize| f32::from_bits(at_lanes[axis].0[i]));
                let query = match read.shape {
                    Some(shape) => TextureQuery::Sample { shape, at: point, layer: layers.0[i] as i32 },
                    None => TextureQuery::Element { x: at_lanes[0].0[i] },
                };
                let bits = desc.read(&query, &mut texels, &|buffer, b| machine.buffer_byte(buffer.0, b));
                (0..4).for_each(|c| out[c].0[i] = bits[c]);
            }
            if let Some(number) = number {
                self.observer.texture(at.pc, number, &texels);
            }
        }
        *self.texels = texels;
        if self.observer.watches(WatchedPath::Texture) {
            for channel in &mut out {
                let source = WordSource::Path;
                let mut words = LoadedWords { lanes: active, bits: channel.0, unit: 16, source };
                self.observer.give(machine, at, &mut words);
                channel.0 = words.bits;
            }
        }
        for (dst, lanes) in read.dst.iter().zip(&out) {
            self.warp.regs.put32(*dst, lanes, active);
        }
        Ok(())
    }
}
