//! Texture reads, by groups of eight lanes as the texture unit takes them.
//!
//! How coordinates become elements is defined in [`crate::machine::memory::texture`]; here are handles, registers and buffers.

use crate::fault::FaultKind;
use crate::machine::context::{BufferView, Machine};
use crate::machine::event::{InstSite, LaneFault};
use crate::machine::mask::lanes;
use crate::machine::memory::texture::{TextureDesc, TextureSource, index};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::Lanes;
use crate::plan::TextureRead;
use simt_ir::TextureShape;
use std::sync::atomic::Ordering::Relaxed;

impl Machine<'_> {
    fn texture_desc(
        &self,
        handle: u64,
        shape: Option<TextureShape>,
    ) -> Result<(u32, &TextureDesc), FaultKind> {
        let wrong = |message: &str| FaultKind::InvalidTexture { handle, message: message.into() };
        let number = index(handle).ok_or_else(|| wrong("the value is no texture handle"))?;
        let desc = self.textures.get(number).and_then(Option::as_ref);
        let desc = desc.ok_or_else(|| wrong("the texture was destroyed"))?;
        // A gather reads what tex2D does.
        let asked = if shape == Some(TextureShape::Gather) { Some(TextureShape::D2) } else { shape };
        match (desc.shape(), asked) {
            (a, b) if a == b => Ok((number as u32, desc)),
            (None, _) => Err(wrong("a linear texture is read by tex1Dfetch only")),
            (_, None) => Err(wrong("tex1Dfetch reads linear textures only")),
            (Some(a), _) => Err(wrong(&format!("the texture is read by {}", reader(a)))),
        }
    }

    fn buffer_byte(&self, buffer: u32, at: u64) -> u8 {
        let word = match self.buffers.get(buffer as usize) {
            Some(BufferView::ReadOnly { words, .. }) => words.get((at / 4) as usize).copied(),
            Some(BufferView::Written(view)) => view.words.get((at / 4) as usize).map(|w| w.load(Relaxed)),
            Some(BufferView::Freed) | None => None,
        };
        (word.unwrap_or(0) >> (at % 4 * 8)) as u8
    }

    fn texel(&self, desc: &TextureDesc, x: u32, texels: &mut Vec<u64>) -> [u32; 4] {
        let TextureSource::Linear { buffer, elements } = &desc.source else { return [0; 4] };
        if u64::from(x) >= *elements {
            return [0; 4];
        }
        let at = u64::from(x) * u64::from(desc.element_bytes());
        texels.push(at);
        let mut bits = [0; 4];
        for channel in 0..desc.channels {
            bits[channel as usize] = desc.decode(at, channel, &|b| self.buffer_byte(buffer.0, b));
        }
        bits
    }
}

/// The function that reads a texture.
fn reader(shape: TextureShape) -> &'static str {
    match shape {
        TextureShape::D1 => "tex1D",
        TextureShape::D2 | TextureShape::Gather => "tex2D",
        TextureShape::D3 => "tex3D",
        TextureShape::Layered1 => "tex1DLayered",
        TextureShape::Layered2 => "tex2DLayered",
        TextureShape::Cube => "texCubemap",
        TextureShape::CubeLayered => "texCubemapLayered",
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
                let (n, desc) = machine
                    .texture_desc(handles.0[i], read.shape)
                    .map_err(|kind| LaneFault::of(kind, 1 << i))?;
                number = Some(n);
                let at = [0, 1, 2].map(|axis: usize| f32::from_bits(at_lanes[axis].0[i]));
                let layer = layers.0[i] as i32;
                let bits = match (read.shape, &desc.source) {
                    (Some(shape), TextureSource::Array { data, .. }) => {
                        desc.sample(shape, at, layer, &mut texels, &|b| data[b as usize])
                    }
                    (Some(shape), TextureSource::Pitch { buffer, .. }) => {
                        let byte = |b| machine.buffer_byte(buffer.0, b);
                        desc.sample(shape, at, layer, &mut texels, &byte)
                    }
                    _ => machine.texel(desc, at_lanes[0].0[i], &mut texels),
                };
                (0..4).for_each(|c| out[c].0[i] = bits[c]);
            }
            if let Some(number) = number {
                self.observer.texture(at.pc, number, &texels);
            }
        }
        *self.texels = texels;
        for (dst, lanes) in read.dst.iter().zip(&out) {
            self.warp.regs.put32(*dst, lanes, active);
        }
        Ok(())
    }
}
