//! Loops that `ptxas` must not unroll.
//!
//! `ptxas` unrolls a loop whose number of iterations is known and small. If the MMAs of one iteration leave few
//! registers, values that it then moves between iterations spill: a loop of 7 iterations of 64 MMAs spilled 584
//! bytes, where the same loop, not unrolled, takes 203 registers.

/// The number of MMAs in an iteration from which on a loop is not unrolled.
const MIN_MMAS: usize = 64;

/// The mnemonic of a warp's MMA.
const MMA_MNEMONIC: &str = "mma.sync";

/// The pragma that keeps `ptxas` from unrolling the loop whose first block it is in.
const PRAGMA: &str = "\t.pragma \"nounroll\";\n";

/// PTX with the pragma `nounroll` in loops of many MMAs.
pub(super) fn kept(ptx: &str) -> String {
    if !ptx.contains(MMA_MNEMONIC) {
        return ptx.to_owned();
    }
    let lines: Vec<&str> = ptx.split_inclusive('\n').collect();
    let mut text = String::with_capacity(ptx.len() + PRAGMA.len());
    for (at, line) in lines.iter().enumerate() {
        text.push_str(line);
        let reported = lines.get(at + 1).is_some_and(|next| next.trim() == PRAGMA.trim());
        if let Some(label) = line.trim().strip_suffix(':')
            && !reported
            && mmas_of_loop(&lines[at + 1..], label) >= MIN_MMAS
        {
            text.push_str(PRAGMA);
        }
    }
    text
}

/// MMAs between a label and the last branch back to it, in its function; 0 where there is none.
fn mmas_of_loop(lines: &[&str], label: &str) -> usize {
    let body = lines.iter().take_while(|line| !line.starts_with('}'));
    let (mut mmas, mut inside) = (0, 0);
    for line in body {
        let line = line.trim();
        mmas += usize::from(line.starts_with(MMA_MNEMONIC));
        let target = line.strip_suffix(';').and_then(|line| line.split_whitespace().last());
        if line.contains("bra") && target == Some(label) {
            inside = mmas;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mmas: usize, back: &str) -> String {
        let product = "\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32\n\t\t{%r1};\n";
        let (before, all) = (product.repeat(80), product.repeat(mmas));
        format!("{{\n{before}$L__BB0_1:\n{all}\t@%p1 bra \t{back};\n\tret;\n\n}}\n")
    }

    #[test]
    fn loops_of_many_mmas_are_not_unrolled() {
        let text = kept(&of(64, "$L__BB0_1"));
        assert_eq!(text.matches("$L__BB0_1:\n\t.pragma \"nounroll\";\n\tmma").count(), 1);
        assert_eq!(text.matches(".pragma").count(), 1);
        assert_eq!(kept(&text), text);
    }

    #[test]
    fn others_are_left_to_the_assembler() {
        for text in [of(63, "$L__BB0_1"), of(64, "$L__BB0_12"), of(64, "$L__BB0_0")] {
            assert_eq!(kept(&text), text);
        }
        // A branch of the next function.
        let two = of(64, "$L__BB0_2") + &of(1, "$L__BB0_1");
        assert_eq!(kept(&two), two);
    }
}
