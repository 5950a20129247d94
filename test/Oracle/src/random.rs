//! Random numbers that a seed decides.

/// A generator of numbers.
#[derive(Clone, Debug)]
pub struct Random(fastrand::Rng);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// A number below another.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end.max(1))
    }

    /// A number from the first to the last.
    pub fn within(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first + 1) as usize) as i64
    }

    /// True so many times of a hundred.
    pub fn percent(&mut self, count: usize) -> bool {
        self.below(100) < count
    }

    /// One of several.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A number of so many bits, with weight on the ends of each width and around zero.
    pub fn edge(&mut self, bits: u32) -> i64 {
        let near = self.within(-3, 3);
        let value = match self.below(8) {
            0 => near,
            1 => self.within(-9, 300),
            2 => 1_i64.wrapping_shl(self.below(bits as usize) as u32).wrapping_add(near),
            3 => 0_i64
                .wrapping_sub(1_i64.wrapping_shl(self.below(bits as usize) as u32))
                .wrapping_add(near),
            4 => self.one(&[127, 128, 255, 256, 32767, 32768, 65535, 65536]) + near,
            5 => (1_i64.wrapping_shl(bits - 1)).wrapping_add(near),
            6 => self.within(0, 16),
            _ => self.word() as i64,
        };
        if bits >= 64 { value } else { (value << (64 - bits)) >> (64 - bits) }
    }
}
