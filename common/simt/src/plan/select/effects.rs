//! Selection of instructions with an effect beyond their destination, or that look at other lanes.

use crate::plan::code::Class;
use crate::plan::code::access::Access;
use crate::plan::code::effects::MemorySet;
use crate::plan::code::operation::Op;
use crate::plan::code::records::{
    AsyncCopy, Atomic, BarrierReduction, BlockBarrier, Call, Load, Matrix, MatrixLoad, Print, PrintArgument,
    Shuffle, Store, SurfaceAddress, TextureRead, Transfer,
};
use crate::plan::select::selector::Selector;
use simt_ir::{
    AccessOrder, Address, AsyncOp, CacheOp, ElementType, FunctionIndex, InstKind, MatrixOp, ObjectPart,
    Operand, Reg, TextureFetch, VoteMode,
};

impl Selector<'_> {
    pub(crate) fn effect(&mut self, kind: &InstKind) -> (Op, Class) {
        let op = match kind {
            InstKind::Load { dst, ty, address, order, cache, part } => {
                let unused = self.unused_bytes(*ty, dst, *part);
                let access =
                    Access { unused, cache: *cache, ..self.access(*ty, dst.len(), (address, *order)) };
                let dst = dst.iter().map(|reg| self.register(*reg)).collect();
                Op::Load { load: self.plan.records.loads.push(Load { dst, access }) }
            }
            InstKind::Store { src, ty, address, order, part: _ } => {
                let access = self.access(*ty, src.len(), (address, *order));
                let src = src.iter().map(|operand| self.operand(operand)).collect();
                Op::Store { store: self.plan.records.stores.push(Store { src, access }) }
            }
            InstKind::Atomic { .. } => self.atomic(kind),
            InstKind::Texture { dst, texture, fetch, ty: _ } => self.texture(dst, texture, fetch),
            InstKind::Surface { .. } => self.surface(kind),
            InstKind::Shuffle { dst, mode, value, lane, width, members } => {
                let shuffle = Shuffle {
                    dst: self.register(*dst),
                    mode: *mode,
                    value: self.operand(value),
                    lane: self.operand32(lane),
                    width: self.operand32(width),
                    members: self.operand32(members),
                };
                return (Op::Shuffle { shuffle: self.plan.records.shuffles.push(shuffle) }, Class::Exchange);
            }
            InstKind::Vote { dst, mode, predicate, members } => {
                let (predicate, members) = (self.mask(predicate), self.operand32(members));
                let vote = |all: bool| Op::Vote { all, dst: self.register(*dst).mask(), predicate, members };
                let op = match mode {
                    VoteMode::Ballot => Op::Ballot { dst: self.register(*dst).bits32(), predicate, members },
                    VoteMode::Any => vote(false),
                    VoteMode::All => vote(true),
                };
                return (op, Class::Exchange);
            }
            InstKind::Barrier { reduce } => {
                let reduction = reduce.as_ref().map(|reduce| BarrierReduction {
                    dst: self.register(reduce.dst).bits32(),
                    mode: reduce.mode,
                    predicate: self.mask(&reduce.predicate),
                });
                self.barrier(reduction, false)
            }
            InstKind::GridBarrier => self.barrier(None, true),
            InstKind::WarpBarrier { members } => Op::WarpBarrier { members: self.operand32(members) },
            InstKind::Malloc { dst, bytes } => {
                Op::Malloc { dst: self.register(*dst).bits64(), bytes: self.operand64(bytes) }
            }
            InstKind::Free { pointer } => Op::Free { pointer: self.operand64(pointer) },
            InstKind::Clock { dst } => Op::Clock { dst: self.register(*dst).bits64() },
            InstKind::Assert { condition, message } => {
                Op::Assert { condition: self.mask(condition), message: *message }
            }
            InstKind::CheckDefined { origin, stops } => {
                Op::CheckDefined { origin: self.operand32(origin), stops: *stops }
            }
            InstKind::Print { format, args } => {
                let argument = |arg| PrintArgument { ty: self.ty(arg), value: self.operand(arg) };
                let args = args.iter().map(argument).collect();
                Op::Print { print: self.plan.records.prints.push(Print { format: *format, args }) }
            }
            InstKind::LoadMatrix { dst, address, transpose } => {
                let dst = dst.iter().map(|reg| self.register(*reg).bits32()).collect();
                let load = MatrixLoad { dst, address: self.address(address), transpose: *transpose };
                Op::LoadMatrix { load: self.plan.records.matrix_loads.push(load) }
            }
            InstKind::AsyncCopy { to, from, bytes, used } => {
                let copy = AsyncCopy {
                    to: self.address(to),
                    from: self.address(from),
                    bytes: *bytes,
                    used: self.operand32(used),
                };
                Op::AsyncCopy { copy: self.plan.records.copies.push(copy) }
            }
            InstKind::Async { dst, op, args } => self.asynchronous(*dst, *op, args),
            InstKind::Matrix { dst, op, args } => return self.matrix(dst, *op, args),
            InstKind::Fence { order, scope } => Op::Fence { order: *order, scope: *scope },
            InstKind::BadCall { pointer } => Op::BadCall { pointer: self.operand64(pointer) },
            InstKind::Call { dst, function, args } => self.call(dst, *function, args),
            InstKind::Trap => Op::Trap,
            InstKind::Copy { .. }
            | InstKind::Undefined { .. }
            | InstKind::Unary { .. }
            | InstKind::Binary { .. }
            | InstKind::Fma { .. }
            | InstKind::Compare { .. }
            | InstKind::Select { .. }
            | InstKind::Convert { .. }
            | InstKind::Math { .. }
            | InstKind::Special { .. }
            | InstKind::Param { .. }
            | InstKind::AddressOf { .. }
            | InstKind::Offset { .. } => unreachable!("{kind:?} only computes"),
            InstKind::Argument { .. } | InstKind::Result { .. } => unreachable!("linking replaces {kind:?}"),
        };
        (op, Class::Other)
    }

    /// An access of `count` elements.
    fn access(&mut self, ty: ElementType, count: usize, (address, order): (&Address, AccessOrder)) -> Access {
        let points = self.input.points.of(&address.base);
        let may_be_local = points.meets(MemorySet::LOCAL.union(MemorySet::UNKNOWN));
        let (address, bytes) = (self.address(address), count as u32 * ty.bytes());
        // Strong accesses take the slow path, which tells observers.
        let shape = if order == AccessOrder::Weak { self.shape(&address, bytes) } else { None };
        Access { address, ty, bytes, order, cache: CacheOp::Default, shape, unused: 0, may_be_local }
    }

    /// See [`Access::unused`].
    fn unused_bytes(&self, ty: ElementType, dst: &[Reg], part: ObjectPart) -> u32 {
        let is_unused = |reg: &Reg| match part {
            ObjectPart::Whole => false,
            ObjectPart::Member => !self.used[*reg],
            ObjectPart::Bits => true,
        };
        let element = (1u32 << ty.bytes()) - 1;
        let bytes = (0..).zip(dst).filter(|(_, reg)| is_unused(reg));
        bytes.fold(0, |all, (number, _)| all | element << (number * ty.bytes()))
    }

    fn atomic(&mut self, kind: &InstKind) -> Op {
        let InstKind::Atomic { dst, op, ty, address, value, compare, order } = kind else {
            unreachable!("{kind:?} is an atomic")
        };
        let atomic = Atomic {
            dst: dst.map(|reg| self.register(reg)),
            op: *op,
            ty: *ty,
            order: *order,
            address: self.address(address),
            value: self.operand(value),
            compare: compare.as_ref().map(|compare| self.operand(compare)),
        };
        Op::Atomic { atomic: self.plan.records.atomics.push(atomic) }
    }

    fn texture(&mut self, dst: &[Reg], texture: &Operand, fetch: &TextureFetch) -> Op {
        let (coordinates, layer, shape) = match fetch {
            TextureFetch::Element { x } => (std::slice::from_ref(x), None, None),
            TextureFetch::Sample { shape, at, layer } => {
                (&at[..shape.coordinates()], shape.has_integer().then_some(layer), Some(*shape))
            }
        };
        let read = TextureRead {
            dst: dst.iter().map(|reg| self.register(*reg).bits32()).collect(),
            texture: self.operand64(texture),
            coordinates: coordinates.iter().map(|operand| self.operand32(operand)).collect(),
            layer: layer.map(|layer| self.operand32(layer)),
            shape,
        };
        Op::Texture { texture: self.plan.records.textures.push(read) }
    }

    fn surface(&mut self, kind: &InstKind) -> Op {
        let InstKind::Surface { dst, inside, surface, place, bytes, boundary } = kind else {
            unreachable!("{kind:?} is a surface access")
        };
        let surface = SurfaceAddress {
            dst: self.register(*dst).bits64(),
            inside: self.register(*inside).mask(),
            surface: self.operand64(surface),
            coordinates: place.at[..place.shape.integers()]
                .iter()
                .map(|operand| self.operand32(operand))
                .collect(),
            shape: place.shape,
            bytes: *bytes,
            boundary: *boundary,
        };
        Op::Surface { surface: self.plan.records.surfaces.push(surface) }
    }

    fn matrix(&mut self, dst: &[Reg], op: MatrixOp, args: &[Operand]) -> (Op, Class) {
        let class = match op {
            MatrixOp::Product(_) => Class::Matrix,
            MatrixOp::Transpose => Class::Other,
            MatrixOp::Tile(_) => Class::None,
        };
        let dst = dst.iter().map(|reg| self.register(*reg)).collect();
        let matrix = Matrix { op, dst, args: self.operands(args) };
        (Op::Matrix { matrix: self.plan.records.matrices.push(matrix) }, class)
    }

    fn asynchronous(&mut self, dst: Option<Reg>, op: AsyncOp, args: &[Operand]) -> Op {
        let dst = dst.map(|reg| self.register(reg).bits32());
        match op {
            AsyncOp::Commit => Op::AsyncCommit,
            AsyncOp::Wait => Op::AsyncWait { groups: self.operand32(&args[0]) },
            AsyncOp::Bind => Op::AsyncBind { barrier: self.operand64(&args[0]) },
            AsyncOp::Init => {
                Op::BarrierInit { barrier: self.operand64(&args[0]), count: self.operand32(&args[1]) }
            }
            AsyncOp::Arrive | AsyncOp::Drop | AsyncOp::ArriveNamed => Op::BarrierArrive {
                drops: op == AsyncOp::Drop,
                named: op == AsyncOp::ArriveNamed,
                dst,
                barrier: self.operand64(&args[0]),
                count: self.operand32(&args[1]),
            },
            AsyncOp::Await | AsyncOp::AwaitNamed => Op::Await {
                named: op == AsyncOp::AwaitNamed,
                barrier: self.operand64(&args[0]),
                phase: self.operand32(&args[1]),
            },
        }
    }

    fn barrier(&mut self, reduction: Option<BarrierReduction>, grid: bool) -> Op {
        let barrier = BlockBarrier { reduction, grid, enclosing: self.waiting_masks() };
        Op::Barrier { barrier: self.plan.records.barriers.push(barrier) }
    }

    fn call(&mut self, dst: &[Reg], function: FunctionIndex, args: &[Operand]) -> Op {
        let callee = &self.input.program.functions[function.index()];
        let args = callee.params.iter().zip(args);
        let args = args.map(|(to, from)| Transfer { to: self.register(*to), from: self.operand(from) });
        let args = args.collect();
        let results = dst.iter().zip(&callee.results);
        let results =
            results.map(|(to, from)| Transfer { to: self.register(*to), from: self.register(*from) });
        let results = results.collect();
        let call = Call { function, args, results, enclosing: self.waiting_masks() };
        Op::Call { call: self.plan.records.calls.push(call) }
    }
}
