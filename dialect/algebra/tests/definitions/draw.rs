//! Random operands.

use layout_algebra::{ComposedLayout, Layout, Outer, Swizzle, Tuple, Value};
use layout_random::Numbers;

/// Draws of operands.
pub(crate) trait Draws {
    fn below(&mut self, bound: i64) -> i64;

    /// Modes that step on from each other as often as not, by columns, by rows or neither.
    fn modes(&mut self, rank: i64) -> Vec<(i64, i64)>;

    fn layout(&mut self, rank: i64) -> Layout;

    /// A layout with `rank` modes at the top.
    fn of_rank(&mut self, rank: usize) -> Layout;

    fn swizzle(&mut self) -> Swizzle;

    fn composed(&mut self, rank: i64) -> ComposedLayout;

    fn any(&mut self, rank: i64) -> Value;
}

impl Draws for Numbers {
    fn below(&mut self, bound: i64) -> i64 {
        i64::try_from(self.number(u64::try_from(bound).expect("positive"))).expect("small")
    }

    fn modes(&mut self, rank: i64) -> Vec<(i64, i64)> {
        let mut next = self.pick(&[1, 1, 1, 2, 3]);
        let power = self.below(2) == 0;
        let mut modes: Vec<(i64, i64)> = (0..rank)
            .map(|_| {
                let extent = match power {
                    true => self.pick(&[1, 2, 2, 4, 8]),
                    false => 1 + self.below(6),
                };
                let stride = match self.below(8) {
                    0 => 0,
                    1 => self.below(20),
                    2 => -next,
                    _ => next,
                };
                next = (extent * stride.abs()).max(next) * self.pick(&[1, 1, 1, 2]);
                (extent, stride)
            })
            .collect();
        for i in 1..modes.len() {
            let other = usize::try_from(self.below(i64::try_from(i).expect("small") + 1));
            modes.swap(i, other.expect("small"));
        }
        modes
    }

    fn layout(&mut self, rank: i64) -> Layout {
        let rank = 1 + self.below(rank);
        let modes = self.modes(rank);
        let tuple = |of: &dyn Fn(&(i64, i64)) -> i64, nested: bool| {
            let mut leaves: Vec<_> = modes.iter().map(|mode| Tuple::Leaf(of(mode))).collect();
            if nested && leaves.len() > 1 {
                let rest = leaves.split_off(1);
                leaves.push(Tuple::Node(rest));
            }
            if leaves.len() == 1 && !nested { leaves.remove(0) } else { Tuple::Node(leaves) }
        };
        let nested = self.below(4) == 0;
        Layout::new(tuple(&|mode| mode.0, nested), tuple(&|mode| mode.1, nested)).expect("small")
    }

    fn of_rank(&mut self, rank: usize) -> Layout {
        let modes = self.modes(i64::try_from(rank).expect("small"));
        let [shape, stride] =
            [0, 1].map(|i| Tuple::Node(modes.iter().map(|m| Tuple::Leaf([m.0, m.1][i])).collect()));
        Layout::new(shape, stride).expect("small")
    }

    fn swizzle(&mut self) -> Swizzle {
        let shift = self.pick(&[-3, -2, -1, 0, 1, 2, 3]);
        let base = self.pick(&[0, 0, 1, 2]);
        Swizzle::new(self.pick(&[0, 1, 2, 2, 3]), base, shift).expect("few bits")
    }

    fn composed(&mut self, rank: i64) -> ComposedLayout {
        let outer = match self.below(4) {
            0 => Outer::Layout(self.layout(3)),
            _ => Outer::Swizzle(self.swizzle()),
        };
        let offset = self.pick(&[0, 0, 0, 1, 3, 4, 8, 30, -2]);
        ComposedLayout { outer, offset, inner: self.layout(rank) }
    }

    fn any(&mut self, rank: i64) -> Value {
        match self.below(3) {
            0 => Value::Composed(self.composed(rank)),
            _ => Value::Layout(self.layout(rank)),
        }
    }
}
