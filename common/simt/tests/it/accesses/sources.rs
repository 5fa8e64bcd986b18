//! Where the factors of [sums](super::sums) come from, and the many ways to write where that is.

use super::generate::{INPUT, PART, TILE};
use super::sums::{ROW, SHORT_ROW, Sums, TABLE};
use crate::support::*;
use simt_ir::{
    AccessOrder, Address, BinaryOp, CacheOp, CompareOp, Constant, Conversion, ElementType, Index, IndexKind,
    InstKind, ObjectPart, Operand, Type,
};

/// Where factors come from.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    Input,
    Table,
    Tile,
    /// The thread's own words of the tile.
    Own,
    /// Its own column of `work`.
    Work,
    /// One of the first three, which is known only when the kernel runs.
    Any,
}

/// How the address of a source's word depends on the number of the word.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Offset,
    Sum,
    Difference,
    /// There and back around 2^32.
    Around(i32),
    /// `(y + c) * n + x`, in one of several ways.
    Rows(u32),
    Pointer,
    /// A 64-bit index.
    Wide,
}

/// A source of factors: words at steps from one place.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    place: Place,
    form: Form,
    base: Operand,
    index: Operand,
    /// For rows: the first, and how long they are.
    row: Operand,
    length: (Operand, u32),
    kind: IndexKind,
    /// Words from one to the next.
    step: u32,
}

impl Sums {
    pub(crate) fn source(&mut self) -> Source {
        use Place::*;
        let place = [Input, Input, Table, Table, Tile, Tile, Tile, Own, Work, Work, Any];
        let place = self.pick(&place);
        let (base, limit) = match place {
            Input => (self.input, 256),
            Table => (self.table, 64),
            Tile | Own => (self.tile, 256),
            Any => (self.any(), 64),
            Work => (self.work, 256),
        };
        let kind = self.pick(&[IndexKind::Signed32, IndexKind::Signed32, IndexKind::Unsigned32]);
        let small = self.small();
        let index = match place {
            Own => {
                let twice = self.b.mul(self.linear, i32(2));
                self.b.add(twice, i32(TILE as i32 / 2))
            }
            Work => self.b.add(self.part, self.linear),
            _ => match self.random.below(4) {
                0 => small,
                1 => self.place(limit),
                _ => {
                    let place = self.place(limit);
                    self.b.add(small, place)
                }
            },
        };
        let form = match (place, self.random.below(9)) {
            (Own, 0..4) | (_, 0) => Form::Offset,
            (Own, 4..7) | (_, 1 | 2) => Form::Sum,
            (_, 3) => Form::Difference,
            (_, 4) => Form::Around([0x7fff_fff0, i32::MIN, -5, 1 << 30][self.random.below(4) as usize]),
            (_, 5) | (Own, _) => Form::Pointer,
            (_, 6) if self.random.one_in(4) => Form::Wide,
            (_, 7) if place != Work && self.random.one_in(4) => Form::Rows(6),
            (_, way) => Form::Rows(way - 6 + 3 * self.random.below(2)),
        };
        let row = self.b.op(BinaryOp::And, small, i32(3));
        let (length, step) = match place {
            Input | Work => ((self.n, ROW), ROW),
            _ => ((self.m, SHORT_ROW), SHORT_ROW),
        };
        let step = match place {
            Own => 1,
            Work => step,
            _ => self.pick(&[1, 1, 2, 5, 16]),
        };
        let mut source = Source { place, form, base, index, row, length, kind, step };
        if matches!(form, Form::Rows(_)) && place != Work {
            source.index = self.place(limit);
        }
        if matches!(form, Form::Pointer) {
            let dst = self.b.reg(Type::Ptr);
            let address = self.b.at(base, index, 4);
            self.b.emit(InstKind::Offset { dst, address });
            source.base = dst.into();
        }
        if matches!(form, Form::Wide) {
            let dst = self.b.reg(Type::I64);
            self.b.emit(InstKind::Convert { dst, op: Conversion::SignExtend, src: source.index });
            (source.index, source.kind) = (dst.into(), IndexKind::Wide);
        }
        source
    }

    /// A pointer that is chosen by a warp's value, or by each lane's.
    fn any(&mut self) -> Operand {
        let both = self.pick(&[[self.input, self.table], [self.tile, self.input], [self.table, self.tile]]);
        let base = self.b.var(Type::Ptr, both[0]);
        let value = match self.random.below(3) {
            0 => self.pick(&self.places.clone()),
            _ => self.small(),
        };
        let odd = self.b.op(BinaryOp::And, value, i32(1));
        let odd = self.b.cmp(CompareOp::Ne, odd, i32(0));
        self.b.branch(odd, |b| b.copy(base, both[1]));
        base.into()
    }

    /// The address of word `c` of a source, `c` at most 7.
    fn address(&mut self, s: &Source, c: u32) -> Address {
        let c = if s.place == Place::Own { c % 2 } else { c };
        let mut step = (c * s.step) as i32;
        if self.wild && self.random.one_in(60) {
            let size = match s.place {
                Place::Input => INPUT,
                Place::Table | Place::Any => TABLE,
                Place::Tile | Place::Own => TILE,
                Place::Work => PART,
            };
            let near = size as i32 - self.random.below(300) as i32;
            step = self.pick(&[
                -1000,
                100_000,
                i32::MIN,
                0x7fff_ff00,
                0x3fff_ffff,
                -(1 << 30),
                near,
                near,
                near,
            ]);
        }
        let by = |value: Operand, offset: i64| Address {
            base: s.base,
            index: Some(Index { value, kind: s.kind, scale: 4 }),
            offset,
        };
        match s.form {
            Form::Wide if step % 3 == 0 => {
                let step = Operand::from(Constant::I64(i64::from(step) as u64));
                let index = self.b.add(s.index, step);
                by(index, 0)
            }
            Form::Offset | Form::Wide => by(s.index, i64::from(step) * 4),
            Form::Sum => {
                let index = self.b.add(s.index, i32(step));
                by(index, 0)
            }
            Form::Difference => {
                let index = self.b.op(BinaryOp::Sub, s.index, i32(step.wrapping_neg()));
                by(index, 0)
            }
            Form::Around(far) => {
                let there = self.b.add(s.index, i32(far));
                let back = self.b.op(BinaryOp::Sub, there, i32(far.wrapping_sub(step)));
                by(back, 0)
            }
            Form::Pointer => Address { base: s.base, index: None, offset: i64::from(step) * 4 },
            Form::Rows(way) => {
                let (length, words) = s.length;
                let (row, c) = (s.row, i32(c as i32));
                let start = match way {
                    0 | 1 => {
                        let row = if way == 0 { self.b.add(row, c) } else { self.b.add(c, row) };
                        self.b.mul(row, length)
                    }
                    2 => {
                        let first = self.b.mul(length, row);
                        let more = self.b.mul(c, length);
                        self.b.add(first, more)
                    }
                    3 => {
                        let row = self.b.add(row, c);
                        self.b.op(BinaryOp::Shl, row, i32(words.trailing_zeros() as i32))
                    }
                    4 => {
                        let less = self.b.op(BinaryOp::Sub, i32(20), c);
                        let row = self.b.op(BinaryOp::Sub, row, less);
                        let start = self.b.mul(row, length);
                        let back = self.b.mul(length, i32(20));
                        self.b.add(start, back)
                    }
                    5 => {
                        let row = self.b.add(row, c);
                        self.b.mul(row, i32(words as i32))
                    }
                    _ => {
                        let row = self.b.add(row, c);
                        let four = self.b.mul(row, i32(4));
                        self.b.mul(four, self.around)
                    }
                };
                let index = self.b.add(start, s.index);
                by(index, 0)
            }
        }
    }

    /// Loads a word; where to is new, or a register that lives on.
    pub(crate) fn load(&mut self, s: &Source, c: u32) -> Operand {
        let dst = match self.random.below(8) {
            0 => self.pick(&self.kept.clone()),
            1 if s.index == i32(0) || self.random.one_in(3) => self.pick(&self.kept_by_all.clone()),
            _ => self.b.reg(Type::F32),
        };
        let address = self.address(s, c);
        let mut dst = vec![dst];
        if matches!(s.place, Place::Input | Place::Tile) && self.random.one_in(25) && !self.wild {
            // Two words at once, at an even place.
            if matches!(s.form, Form::Wide) {
                return f32(0.5);
            }
            let index = self.b.op(BinaryOp::And, s.index, i32(-2));
            let index = Some(Index { value: index, kind: s.kind, scale: 4 });
            let base = if s.place == Place::Input { self.input } else { self.tile };
            dst.push(self.b.reg(Type::F32));
            let address = Address { base, index, offset: i64::from(c) * 8 };
            self.b.emit(InstKind::Load {
                dst: dst.clone().into(),
                ty: ElementType::F32,
                address,
                order: AccessOrder::Weak,
                cache: CacheOp::Default,
                part: ObjectPart::Whole,
            });
            return dst[1].into();
        }
        self.b.emit(InstKind::Load {
            dst: dst.clone().into(),
            ty: ElementType::F32,
            address,
            order: AccessOrder::Weak,
            cache: CacheOp::Default,
            part: ObjectPart::Whole,
        });
        dst[0].into()
    }
}
