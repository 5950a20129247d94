//! Draws of random programs.

pub use layout_random::Numbers as Random;

/// Draws of programs and their arguments, besides plain numbers.
pub trait Draws {
    /// A number of `bits` bits, with weight on the ends of each width and around zero.
    fn edge(&mut self, bits: u32) -> i64;
}

impl Draws for Random {
    fn edge(&mut self, bits: u32) -> i64 {
        let near = self.within(-3, 3);
        let value = match self.index(8) {
            0 => near,
            1 => self.within(-9, 300),
            2 => 1_i64.wrapping_shl(self.index(bits as usize) as u32).wrapping_add(near),
            3 => 0_i64
                .wrapping_sub(1_i64.wrapping_shl(self.index(bits as usize) as u32))
                .wrapping_add(near),
            4 => self.pick(&[127, 128, 255, 256, 32767, 32768, 65535, 65536]) + near,
            5 => (1_i64.wrapping_shl(bits - 1)).wrapping_add(near),
            6 => self.within(0, 16),
            _ => self.word() as i64,
        };
        if bits >= 64 { value } else { (value << (64 - bits)) >> (64 - bits) }
    }
}
