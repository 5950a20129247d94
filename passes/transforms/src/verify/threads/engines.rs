//! Instructions on `mbarrier`s, bulk copies and `wgmma`, as the PTX ISA says what they do.

use super::{
    build::Builder,
    program::{Arrive, By, CopyAccess, Groups, Node, Outside, Places, Signal, ThreadSet, memory},
    units::WIDE,
};
use crate::verify::{
    engine::{descriptor_swizzle, without_hint},
    trace::{Instruction, Root},
};
use layout_dialect::atoms::WARP;
use layout_relation::IndexForm;
use std::collections::BTreeSet;

/// Rows that a swizzle repeats after.
const ROWS: i64 = 8;

/// Instructions that no thread waits in, and that touch no memory which is followed.
const HARMLESS: [&str; 5] = [
    "nvvm.fence",
    "nvvm.setmaxregister",
    "nvvm.wgmma.fence",
    "nvvm.prefetch",
    "nvvm.griddepcontrol",
];

/// Beginnings of texts of PTX that do neither.
const HARMLESS_TEXTS: [&str; 3] = ["// registers", "wgmma.fence", "fence.proxy"];

/// Texts of PTX that show what threads stored to the asynchronous proxy.
const FENCE: &str = "fence.proxy.async";

/// An operand of an MMA in shared memory: a tile that a descriptor names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    /// Rows of A or of B, and elements along K.
    rows: i64,
    depth: i64,
    /// Whether elements along K are in a row.
    k_major: bool,
    bytes: i64,
}

impl Matrix {
    /// An instruction's tile, of bounded extents along its rows and along K.
    fn of(rows: i64, depth: i64, k_major: bool, bytes: i64) -> Option<Self> {
        const MAX_BOX_EXTENT: i64 = 256;
        let is_small =
            (1..=MAX_BOX_EXTENT).contains(&rows) && (1..=MAX_BOX_EXTENT).contains(&depth);
        is_small.then_some(Self { rows, depth, k_major, bytes })
    }

    pub(super) fn count(&self) -> usize {
        usize::try_from(self.rows.saturating_mul(self.depth)).unwrap_or(usize::MAX)
    }

    /// The units of memory that a descriptor's tile takes, each once: their first bytes.
    pub(super) fn places(&self, descriptor: i64) -> BTreeSet<i64> {
        // The start, the leading and the stride offset are in units of 16 bytes.
        let field = |from: u32| (descriptor >> from & 0x3fff) * WIDE;
        let (start, leading, stride) = (field(0), field(16), field(32));
        let swizzle = descriptor_swizzle(descriptor);
        let unit = WIDE / self.bytes.max(1);
        let width = (swizzle / self.bytes.max(1)).max(unit);
        let bits = if swizzle == 0 { 0 } else { (swizzle / WIDE).max(1).ilog2() };
        let mask = ((1_i64 << bits) - 1) << 7;
        let mut all = BTreeSet::new();
        for k in 0..self.depth {
            for r in 0..self.rows {
                // Elements within rows of the swizzle's width, and bytes between those.
                let (elements, offset) = match (self.k_major, swizzle) {
                    (true, 0) => {
                        (r % ROWS * width + k % unit, r / ROWS * stride + k / unit * leading)
                    }
                    (true, _) => (r % ROWS * width + k, r / ROWS * stride),
                    (false, 0) => {
                        (r % unit + k % ROWS * width, r / unit * stride + k / ROWS * leading)
                    }
                    (false, _) => {
                        (r % width + k % ROWS * width, r / width * leading + k / ROWS * stride)
                    }
                };
                let place = start + offset + elements * self.bytes;
                let place = place ^ (place & mask) >> 3;
                all.insert(place.div_euclid(WIDE) * WIDE);
            }
        }
        all
    }
}

/// The number after a name in text, up to what is no digit.
fn number_after(text: &str, name: &str) -> Option<i64> {
    let rest = &text[text.find(name)?.checked_add(name.len())?..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Bytes of an operand's element, by its name in PTX or in MLIR.
fn element_bytes(name: &str) -> Option<i64> {
    Some(match name {
        "f16" | "bf16" => 2,
        "tf32" => 4,
        "e4m3" | "e5m2" | "s8" | "u8" => 1,
        _ => return None,
    })
}

fn attribute<'i>(instruction: &'i Instruction, attribute_name: &str) -> Option<&'i str> {
    let found = instruction.attributes.iter().find(|(name, _)| name == attribute_name);
    found.map(|(_, value)| value.as_str())
}

/// The text in the brackets of an attribute.
fn inside(text: &str) -> &str {
    let text = text.split_once('<').map_or(text, |(_, rest)| rest);
    text.trim_end_matches('>')
}

impl<'t> Builder<'t> {
    pub(super) fn instruction(&mut self, instruction: &'t Instruction) {
        let name = instruction.name.as_str();
        let is_fence = name == "nvvm.fence.proxy"
            && attribute(instruction, "kind").is_some_and(|kind| kind.contains("async"));
        if !is_fence && HARMLESS.iter().any(|prefix| name.starts_with(prefix)) {
            return;
        }
        let predicates = &instruction.predicates;
        if !self.all_follow(predicates) {
            return self.lose(format!("{name} under an unknown condition"));
        }
        let who = self.who(predicates);
        let node = match name {
            _ if is_fence => Some(Node::Fence(who)),
            _ if name.starts_with("nvvm.bar.warp") => {
                let mask = self.number(instruction, 0);
                mask.map(|mask| Node::Warp(who, Some((mask, instruction.operation))))
            }
            "nvvm.mbarrier.init" => self.make(instruction, who),
            "nvvm.mbarrier.inval" => self
                .shared(instruction, 0)
                .map(|form| Node::Retire { who, signal: Signal::At(None, form) }),
            "nvvm.mbarrier.arrive" => self.arrival(instruction, who, false),
            "nvvm.mbarrier.arrive.expect_tx" => self.arrival(instruction, who, true),
            "nvvm.mbarrier.complete_tx" => return self.completes(instruction),
            "nvvm.mbarrier.try_wait.parity" => self.awaits(instruction, who),
            "nvvm.wgmma.commit.group.sync.aligned" => Some(Node::Commit(Groups::Mmas, who)),
            "nvvm.wgmma.wait.group.sync.aligned" => attribute(instruction, "group")
                .and_then(|group| group.split(' ').next()?.parse().ok())
                .map(|left| Node::Wait(Groups::Mmas, who, left)),
            "nvvm.wgmma.mma_async" => return self.wgmma(instruction, who),
            "nvvm.cp.async.bulk.tensor.shared.cluster.global" => {
                return self.bulk_tensor(instruction, who, true);
            }
            "nvvm.cp.async.bulk.tensor.global.shared.cta" => {
                return self.bulk_tensor(instruction, who, false);
            }
            "nvvm.cp.async.bulk.shared.cluster.global" => {
                return self.bulk_bytes(instruction, who, true);
            }
            "nvvm.cp.async.bulk.global.shared.cta" => {
                return self.bulk_bytes(instruction, who, false);
            }
            "llvm.inline_asm" => return self.text(instruction, who),
            _ => None,
        };
        match node {
            Some(node) => self.push(node),
            None => self.lose(match instruction.operands.iter().all(Option::is_some) {
                true => name.to_owned(),
                false => format!("{name} of an integer that is not known"),
            }),
        }
    }

    /// An operand that points to shared memory.
    fn shared(&self, instruction: &'t Instruction, at: usize) -> Option<&'t IndexForm> {
        match instruction.operands.get(at)? {
            Some((Root::Shared, form)) if self.follows(form) => Some(form),
            _ => None,
        }
    }

    fn number(&self, instruction: &'t Instruction, at: usize) -> Option<&'t IndexForm> {
        match instruction.operands.get(at)? {
            Some((Root::Nothing, form)) if self.follows(form) => Some(form),
            _ => None,
        }
    }

    fn make(&self, instruction: &'t Instruction, who: ThreadSet<'t>) -> Option<Node<'t>> {
        let signal = Signal::At(None, self.shared(instruction, 0)?);
        let count = self.number(instruction, 1)?;
        Some(Node::Make { who, signal, count })
    }

    fn arrival(
        &self,
        instruction: &'t Instruction,
        who: ThreadSet<'t>,
        expects: bool,
    ) -> Option<Node<'t>> {
        let signal = Signal::At(None, self.shared(instruction, 0)?);
        let number = match instruction.operands.len() {
            1 if !expects => None,
            2 => Some(self.number(instruction, 1)?),
            _ => return None,
        };
        let (count, bytes) = if expects { (None, number) } else { (number, None) };
        let operation = instruction.operation;
        Some(Node::Arrive(Box::new(Arrive { who, signal, count, bytes, mmas: false, operation })))
    }

    fn awaits(&self, instruction: &'t Instruction, who: ThreadSet<'t>) -> Option<Node<'t>> {
        let signal = Signal::At(None, self.shared(instruction, 0)?);
        let parity = Some(self.number(instruction, 1)?);
        Some(Node::Await { who, signal, parity, operation: instruction.operation })
    }

    /// An access to consecutive bytes of shared memory.
    fn row(
        &mut self,
        instruction: &'t Instruction,
        (place, bytes): (&'t IndexForm, i64),
        by: By<'t>,
        who: ThreadSet<'t>,
    ) {
        let root = &Root::Shared;
        let unit = self.unit(root);
        let step = if bytes % unit == 0 { unit } else { 1 };
        let count = usize::try_from(step).unwrap_or(1);
        let follows = self.are_followed(root);
        let touch = self.noted(CopyAccess {
            root,
            memory: memory(root),
            store: matches!(by, By::Bulk(..)),
            by,
            combines: false,
            follows,
            base: place,
            places: Places::Offsets((0..bytes).step_by(count).collect(), Outside::Nothing),
            predicates: Vec::new(),
            who,
            coordinates: &[],
            domain: &[],
            bounds: None,
            bytes: step,
            step: 1,
            unit,
            value: None,
            wide: 1,
            run: 1,
            rows: None,
            operation: instruction.operation,
            event: 0,
        });
        self.push(Node::Touch(Box::new(touch)));
    }

    /// A bulk copy of a box of a tensor map.
    fn bulk_tensor(&mut self, instruction: &'t Instruction, who: ThreadSet<'t>, load: bool) {
        let (map, place) = if load { (1, 0) } else { (0, 1) };
        let unfilled = if load { self.unfilled.take() } else { None };
        let read = || {
            let Some((Root::Argument(argument), _)) = instruction.operands.get(map)?.as_ref()
            else {
                return None;
            };
            let own = self.trace.arguments.len().checked_sub(self.trace.maps.len())?;
            let map = self.trace.maps.get(argument.checked_sub(own)?)?;
            let elements = map.r#box.iter().try_fold(1_i64, |all, &e| all.checked_mul(e))?;
            let bytes = elements.checked_mul(*map.strides.first()?)?;
            let place = self.shared(instruction, place)?;
            if !load {
                return Some((place, bytes, By::BulkGroup));
            }
            let last = without_hint(instruction).checked_sub(1)?;
            let barrier = self.shared(instruction, last)?;
            let missing = match unfilled {
                None => 0,
                Some((own, missing)) => (own == barrier).then_some(missing)?,
            };
            let bytes = bytes.checked_add(missing)?;
            Some((place, bytes, By::Bulk(Signal::At(None, barrier), bytes)))
        };
        match read().filter(|(_, bytes, _)| (1..=1 << 20).contains(bytes)) {
            Some((place, bytes, by)) => self.row(instruction, (place, bytes), by, who),
            None => {
                self.lose(format!("{} whose tensor map or address is unknown", instruction.name))
            }
        }
    }

    /// Bytes of the next copy that do not come: its memory holds them all the same, with values that nothing may depend on.
    fn completes(&mut self, instruction: &'t Instruction) {
        let bytes = self.number(instruction, 1).and_then(IndexForm::as_constant);
        let before = self.unfilled.take();
        self.unfilled = match (self.shared(instruction, 0).zip(bytes), before) {
            (Some(own), None) => Some(own),
            (Some((own, bytes)), Some((barrier, more))) if own == barrier => {
                Some((own, bytes.saturating_add(more)))
            }
            _ => {
                return self.lose(format!(
                    "{} of an unknown number of bytes, or at another barrier",
                    instruction.name
                ));
            }
        };
    }

    /// A bulk copy of bytes in a row.
    fn bulk_bytes(&mut self, instruction: &'t Instruction, who: ThreadSet<'t>, load: bool) {
        let read = || {
            let place = self.shared(instruction, usize::from(!load))?;
            let bytes = self.number(instruction, if load { 3 } else { 2 })?.as_constant()?;
            let by = match load {
                true => By::Bulk(Signal::At(None, self.shared(instruction, 2)?), bytes),
                false => By::BulkGroup,
            };
            (1..=1 << 20).contains(&bytes).then_some((place, bytes, by))
        };
        match read() {
            Some((place, bytes, by)) => self.row(instruction, (place, bytes), by, who),
            None => self.lose(format!("{} whose address or bytes are unknown", instruction.name)),
        }
    }

    /// `wgmma` of two tiles of shared memory, which each warp reads.
    fn wgmma(&mut self, instruction: &'t Instruction, who: ThreadSet<'t>) {
        let read = || {
            let shape = attribute(instruction, "shape")?;
            let [m, n, k] = ["m = ", "n = ", "k = "].map(|name| number_after(shape, name));
            let majors = [("layoutA", "row"), ("layoutB", "col")]
                .map(|(name, k_major)| Some(attribute(instruction, name)?.contains(k_major)));
            let bytes =
                ["typeA", "typeB"].map(|name| element_bytes(inside(attribute(instruction, name)?)));
            let matrix =
                |rows: Option<i64>, at: usize| Matrix::of(rows?, k?, majors[at]?, bytes[at]?);
            Some(vec![matrix(m, 0)?, matrix(n, 1)?])
        };
        self.matrices(instruction, who, read());
    }

    fn matrices(
        &mut self,
        instruction: &'t Instruction,
        who: ThreadSet<'t>,
        matrices: Option<Vec<Matrix>>,
    ) {
        let found: Option<Vec<(&'t IndexForm, Matrix)>> = matrices.and_then(|matrices| {
            let all = matrices.into_iter().enumerate();
            all.map(|(at, matrix)| Some((self.number(instruction, at)?, matrix))).collect()
        });
        let Some(found) = found else {
            return self.lose(format!("an MMA {} whose tiles are not known", instruction.name));
        };
        let root = &Root::Shared;
        let unit = self.unit(root);
        let follows = self.are_followed(root);
        for (base, matrix) in found {
            let touch = self.noted(CopyAccess {
                root,
                memory: memory(root),
                store: false,
                by: By::Mmas,
                combines: false,
                follows,
                base,
                places: Places::Matrix(matrix),
                predicates: Vec::new(),
                who: ThreadSet { every: WARP, ..who },
                coordinates: &[],
                domain: &[],
                bounds: None,
                bytes: WIDE,
                step: 1,
                unit,
                value: None,
                wide: 1,
                run: 1,
                rows: None,
                operation: instruction.operation,
                event: 0,
            });
            self.push(Node::Touch(Box::new(touch)));
        }
    }

    /// Text of PTX.
    fn text(&mut self, instruction: &'t Instruction, who: ThreadSet<'t>) {
        let text = attribute(instruction, "asm_string").unwrap_or("").trim_matches('"');
        if text.starts_with(FENCE) {
            return self.push(Node::Fence(who));
        }
        if HARMLESS_TEXTS.iter().any(|begins| text.starts_with(begins)) {
            return;
        }
        if let Some(at) = text.find("wgmma.mma_async.sync.aligned.") {
            let read = || {
                // The shape, then the types of the accumulators, of A and of B.
                let mut words = text[at..].split(' ').next()?.split('.').skip(4);
                let shape = words.next()?;
                let [m, n, k] = ["m", "n", "k"].map(|name| number_after(shape, name));
                let bytes = element_bytes(words.nth(1)?)?;
                let [sums, left] = {
                    let mut lists = text[at..].split_once(' ')?.1.splitn(2, "}, ");
                    [lists.next()?, lists.next()?]
                };
                let held = left.starts_with('{');
                let numbers = text.rsplit(", p, ").next().unwrap_or("").trim_end_matches("; }");
                let mut transposed = numbers.split(", ").skip(2).map(|number| number == "1");
                let _ = sums;
                let mut matrix = |rows: Option<i64>| {
                    let k_major = !transposed.next().unwrap_or(false);
                    Matrix::of(rows?, k?, k_major, bytes)
                };
                let mut all = Vec::new();
                if !held {
                    all.push(matrix(m)?);
                }
                all.push(matrix(n)?);
                Some(all)
            };
            return self.matrices(instruction, who, read());
        }
        // The beginning of the text says enough.
        let begins: String = text.chars().take(48).collect();
        self.lose(format!("the text of PTX `{begins}`"));
    }
}
