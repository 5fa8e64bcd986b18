//! Surface accesses: the address of each lane's element. The access itself is a load or a store that follows, so that it is checked and
//! counted like any other.

use crate::fault::FaultKind;
use crate::machine::event::LaneFault;
use crate::machine::mask::lanes;
use crate::machine::memory::surface::find;
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, WarpRegs, WarpRegsMut};
use crate::plan::SurfaceAddress;
use simt_ir::pointer;

impl<O: Observer> WarpExecutor<'_, '_, O> {
    pub(crate) fn surface(&mut self, op: &SurfaceAddress, active: u32) -> Result<(), Box<LaneFault>> {
        let regs = &self.warp.regs;
        let handles = regs.lanes64(op.surface);
        let at: Vec<Lanes<u32>> = op.coordinates.iter().map(|src| regs.lanes32(*src)).collect();
        let (mut out, mut inside) = (Lanes([0u64; 32]), 0);
        for i in lanes(active) {
            let fail = |kind| LaneFault::of(kind, 1 << i);
            let handle = handles.0[i];
            let desc = find(self.machine.surfaces, handle, op.shape)
                .map_err(|message| fail(FaultKind::InvalidSurface { handle, message }))?;
            let axis = |a: usize| at.get(a).map_or(0, |lanes| lanes.0[i] as i32);
            let found = desc.offset([axis(0), axis(1), axis(2)], op.bytes, op.boundary);
            let found = found.map_err(|message| fail(FaultKind::SurfaceRange { handle, message }))?;
            if let Some(offset) = found {
                inside |= 1 << i;
                out.0[i] = pointer::add(desc.buffer.pointer(), offset);
            }
        }
        let regs = &mut self.warp.regs;
        regs.put64(op.dst, &out, active);
        regs.put_mask(op.inside, inside, active);
        Ok(())
    }
}
