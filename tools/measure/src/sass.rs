//! Counting the integer instructions of SASS, as `nvdisasm -c` prints it.
//!
//! An instruction is *integer* when its mnemonic, up to the first dot, is in [`INTEGER`]. Not counted
//! are those in [`OTHER`] (memory, control, special registers, loads of parameters), and moves that
//! only load a parameter from constant memory. The assembler makes 0 by a multiplication of halves by
//! nothing (`HFMA2.MMA R, -RZ, RZ, 0, 0`), which is a move and counts as one. A mnemonic in neither
//! list is an error, so that nothing is left out in silence. Counts are static: each instruction
//! once, however often it is executed.

use std::collections::{BTreeMap, BTreeSet};

/// Mnemonics that compute with integers, predicates of integers, or move them; a leading `U` is the
/// uniform datapath's form. Conversions and reciprocals are here since only integer division by a
/// value that is not known uses them in these kernels; so are products, comparisons and selections of
/// floats, with which words of 24 bits are divided.
const INTEGER: &[&str] = &[
    "BMSK",
    "FADD",
    "FFMA",
    "FLO",
    "FMUL",
    "FSEL",
    "FSETP",
    "I2F",
    "I2FP",
    "F2I",
    "IABS",
    "IADD",
    "IADD3",
    "IMAD",
    "IMNMX",
    "ISETP",
    "LEA",
    "LOP3",
    "MOV",
    "MUFU",
    "P2R",
    "PLOP3",
    "POPC",
    "PRMT",
    "R2P",
    "R2UR",
    "SEL",
    "SGXT",
    "SHF",
    "UBMSK",
    "UF2I",
    "UF2IP",
    "UFLO",
    "UI2F",
    "UI2FP",
    "UIADD3",
    "UIMAD",
    "UISETP",
    "ULEA",
    "ULOP3",
    "UMOV",
    "UP2UR",
    "UPLOP3",
    "UPOPC",
    "UPRMT",
    "USEL",
    "USGXT",
    "USHF",
    "VIADD",
    "VIADDMNMX",
    "VIMNMX",
];

/// Mnemonics of everything else that these kernels may hold.
const OTHER: &[&str] = &[
    "BRA", "BSSY", "BSYNC", "CALL", "CS2R", "EXIT", "LDC", "LDCU", "LDG", "NOP", "RET", "S2R",
    "S2UR", "STG", "ULDC", "WARPSYNC",
];

/// Integer instructions of one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// All of them.
    pub(crate) all: u64,
    /// Those between a loop's first instruction and its branch back.
    pub(crate) in_loops: u64,
}

/// One kernel's text: its instructions, and the labels with the instruction that each is before.
#[derive(Default)]
struct Kernel<'t> {
    instructions: Vec<&'t str>,
    labels: BTreeMap<&'t str, usize>,
}

/// Counts each kernel of a disassembly.
///
/// # Errors
///
/// A mnemonic that is in neither list; a disassembly without kernels.
pub(crate) fn count(text: &str) -> Result<BTreeMap<String, Count>, String> {
    let mut counts = BTreeMap::new();
    for (name, kernel) in kernels(text) {
        let counted = kernel.count().map_err(|error| format!("{name}: {error}"))?;
        counts.insert(name.to_owned(), counted);
    }
    if counts.is_empty() {
        return Err("expected kernels in the disassembly, found none".into());
    }
    Ok(counts)
}

/// Instructions by mnemonic, up to the first dot; of all kernels of a disassembly.
pub(crate) fn mix(text: &str) -> BTreeMap<String, u64> {
    let mut mix = BTreeMap::new();
    for instruction in kernels(text).values().flat_map(|kernel| &kernel.instructions) {
        *mix.entry(parts(instruction).1.to_owned()).or_default() += 1;
    }
    mix
}

fn kernels(text: &str) -> BTreeMap<&str, Kernel<'_>> {
    let mut found: BTreeMap<&str, Kernel<'_>> = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        let line = line.trim();
        // Older chips have a line `.sectioninfo` besides.
        let section = line.strip_prefix(".section");
        if let Some(section) = section.filter(|rest| rest.starts_with(char::is_whitespace)) {
            let name = section.trim().split(',').next().unwrap_or_default();
            current = name.strip_prefix(".text.");
            continue;
        }
        let Some(kernel) = current.map(|name| found.entry(name).or_default()) else { continue };
        if let Some(label) = line.strip_suffix(':') {
            kernel.labels.insert(label, kernel.instructions.len());
        } else if let Some((_, instruction)) =
            line.strip_prefix("/*").and_then(|rest| rest.split_once("*/"))
            && let Some((instruction, _)) = instruction.split_once(';')
        {
            kernel.instructions.push(instruction.trim());
        }
    }
    found
}

impl Kernel<'_> {
    fn count(&self) -> Result<Count, String> {
        let looped = self.looped();
        let mut count = Count::default();
        for (i, instruction) in self.instructions.iter().enumerate() {
            if is_integer(instruction)? {
                count.all += 1;
                count.in_loops += u64::from(looped.contains(&i));
            }
        }
        Ok(count)
    }

    /// The instructions that lie in a loop: from the target of a branch back to the branch. The
    /// branch to itself that ends every kernel is padding.
    fn looped(&self) -> BTreeSet<usize> {
        let mut looped = BTreeSet::new();
        for (i, instruction) in self.instructions.iter().enumerate() {
            let target = instruction
                .split_once("BRA")
                .and_then(|(_, rest)| rest.split_once("`("))
                .and_then(|(_, rest)| rest.split_once(')'))
                .and_then(|(label, _)| self.labels.get(label));
            if let Some(&target) = target
                && target < i
            {
                looped.extend(target..=i);
            }
        }
        looped
    }
}

/// The opcode, its mnemonic up to the first dot, and the operands, without a predicate.
fn parts(instruction: &str) -> (&str, &str, &str) {
    let unpredicated = match instruction.strip_prefix('@') {
        Some(predicated) => predicated.split_once(char::is_whitespace).map_or("", |(_, rest)| rest),
        None => instruction,
    };
    let (opcode, operands) =
        unpredicated.trim().split_once(char::is_whitespace).unwrap_or((unpredicated.trim(), ""));
    (opcode, opcode.split('.').next().unwrap_or_default(), operands)
}

fn is_integer(instruction: &str) -> Result<bool, String> {
    let (opcode, name, operands) = parts(instruction);
    if name == "HFMA2" && operands.contains("-RZ, RZ,") {
        return Ok(true);
    }
    let is_move = opcode.starts_with("IMAD.MOV") || matches!(name, "MOV" | "UMOV");
    if INTEGER.contains(&name) {
        Ok(!(is_move && operands.contains("c[0x0]")))
    } else if OTHER.contains(&name) {
        Ok(false)
    } else {
        Err(format!(
            "expected a mnemonic that is known to be integer or not, found `{instruction}`"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"
\t.section\t.text.sum,\"ax\",@progbits
\t.sectioninfo\t@\"SHI_REGISTERS=10\"
sum:
.text.sum:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
        /*0020*/                   IMAD.MOV.U32 R2, RZ, RZ, c[0x0][0x210] ;
        /*0030*/                   HFMA2.MMA R5, -RZ, RZ, 0, 0 ;
.L_x_1:
        /*0040*/                   IADD3 R0, R0, 0x1, RZ ;
        /*0050*/                   LDG.E R3, desc[UR4][R2.64] ;
        /*0060*/                   ISETP.GE.AND P0, PT, R0, R4, PT ;
        /*0070*/              @!P0 BRA `(.L_x_1) ;
        /*0080*/              @!P1 IMAD.MOV R5, RZ, RZ, R0 ;
        /*0090*/                   EXIT ;
.L_x_2:
        /*00a0*/                   BRA `(.L_x_2);
        /*00b0*/                   NOP;
";

    #[test]
    fn integer_instructions_are_counted_in_and_out_of_loops() {
        let counts = count(TEXT).unwrap();
        assert_eq!(counts.len(), 1);
        assert_eq!(counts["sum"], Count { all: 4, in_loops: 2 });
    }

    #[test]
    fn instructions_are_counted_by_mnemonic() {
        let found = mix(TEXT);
        let of = |name: &str| found.get(name).copied();
        assert_eq!(
            (of("BRA"), of("IMAD"), of("HFMA2"), of("EXIT")),
            (Some(2), Some(2), Some(1), Some(1))
        );
        assert_eq!(found.values().sum::<u64>(), 12);
    }

    #[test]
    fn strange_mnemonics_are_refused() {
        let text = ".section .text.k,\"ax\"\n/*0000*/ TENSOR.ADD R0, R1 ;\n";
        assert_eq!(
            count(text).unwrap_err(),
            "k: expected a mnemonic that is known to be integer or not, found `TENSOR.ADD R0, R1`"
        );
        assert_eq!(
            count("nothing").unwrap_err(),
            "expected kernels in the disassembly, found none"
        );
    }
}
