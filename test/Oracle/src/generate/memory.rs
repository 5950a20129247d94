//! Memrefs: allocations, parts, loads and stores.

use super::Generator;
use crate::{
    interpret::types::{MemRefTy, Ty},
    ir::{Block, Region, Value},
};
use std::rc::Rc;

impl Generator<'_, '_> {
    pub(super) fn memory_statement(&mut self, block: Block) {
        match self.random.index(10) {
            0 if self.depth == 0 => self.allocation(block),
            1 | 2 => self.subview(block),
            _ => self.access(block),
        }
    }

    fn memref(&mut self) -> Option<(Value, Rc<Ty>)> {
        self.some(|ty| matches!(ty, Ty::MemRef(memref) if memref.sizes.iter().all(Option::is_some)))
    }

    /// An index that is in range, or one that is anything and predicated by comparisons.
    fn index(&mut self, block: Block, size: i64, predicates: &mut Vec<Value>) -> Value {
        match self.random.index(5) {
            0 => {
                let value = self.random.within(0, size - 1);
                self.constant(block, "index", value)
            }
            1 | 2 => {
                let value = self.any(block, "index");
                let size = self.constant(block, "index", size);
                self.op(block, "arith.remui", &[value, size], &[], &["index"]).result()
            }
            _ => {
                let value = self.any(block, "index");
                let size = self.constant(block, "index", size);
                let predicate = self.predicate(block, value, size);
                predicates.push(predicate);
                value
            }
        }
    }

    /// Whether an index is below a size, as an unsigned number.
    pub(super) fn predicate(&mut self, block: Block, value: Value, size: Value) -> Value {
        let i64 = self.r#type("i64");
        let less = self.cx.integer(i64, 6);
        self.op(block, "arith.cmpi", &[value, size], &[("predicate", less)], &["i1"]).result()
    }

    /// A block that runs where all predicates hold, with what ends it to come; the block itself without any.
    pub(super) fn predicated(
        &mut self,
        block: Block,
        predicates: &[Value],
    ) -> (Block, Option<Region>) {
        if predicates.is_empty() {
            return (block, None);
        }
        let region = Region::new();
        (region.append(self.cx, &[]), Some(region))
    }

    /// Ends what `predicated` began.
    pub(super) fn finish_predicated(
        &mut self,
        block: Block,
        inner: Block,
        predicates: &[Value],
        region: Option<Region>,
    ) {
        let Some(region) = region else { return };
        self.op(inner, "scf.yield", &[], &[], &[]);
        let mut all = predicates[0];
        for predicate in &predicates[1..] {
            all = self.op(block, "arith.andi", &[all, *predicate], &[], &["i1"]).result();
        }
        let regions = [region, Region::new()];
        if let Some(made) = self.cx.build("scf.if", &[all], &[], Some(&[]), &regions, &[]) {
            block.append(made);
        }
    }

    fn access(&mut self, block: Block) {
        let Some((memory, ty)) = self.memref() else { return };
        let Ty::MemRef(ty) = &*ty else { return };
        self.access_of(block, memory, ty);
    }

    fn access_of(&mut self, block: Block, memory: Value, ty: &MemRefTy) {
        let sizes: Vec<i64> = ty.sizes.iter().map(|size| size.unwrap_or(1)).collect();
        if sizes.contains(&0) {
            return;
        }
        let mut predicates = Vec::new();
        let at: Vec<Value> =
            sizes.iter().map(|size| self.index(block, *size, &mut predicates)).collect();
        let element = match ty.element {
            Ty::Int(8) => "i8",
            Ty::Int(64) => "i64",
            _ => "i32",
        };
        let (inner, region) = self.predicated(block, &predicates);
        let before = self.pool.len();
        let mut operands = Vec::new();
        let store = self.random.percent(50);
        if store {
            let value = self.any(inner, element);
            operands.push(value);
        }
        operands.push(memory);
        operands.extend(at);
        if store {
            self.op(inner, "memref.store", &operands, &[], &[]);
        } else {
            let loaded = self.op(inner, "memref.load", &operands, &[], &[element]).result();
            self.know(loaded);
            if region.is_some() {
                self.see_value(inner, loaded, element);
            }
        }
        if region.is_some() {
            self.pool.truncate(before);
        }
        self.finish_predicated(block, inner, &predicates, region);
    }

    /// Has one value compared.
    pub(super) fn see_value(&mut self, block: Block, value: Value, ty: &str) {
        if let (Some(callee), false) = (self.cx.attribute(&format!("@see_{ty}")), self.inner) {
            self.op(block, "func.call", &[value], &[("callee", callee)], &[]);
        }
    }

    fn subview(&mut self, block: Block) {
        let Some((memory, ty)) = self.memref() else { return };
        let Ty::MemRef(ty) = &*ty else { return };
        if ty.strides.iter().any(Option::is_none) || ty.offset.is_none() {
            return;
        }
        let (mut offsets, mut sizes, mut strides) = (Vec::new(), Vec::new(), Vec::new());
        let mut offset = ty.offset.unwrap_or(0);
        let mut steps = Vec::new();
        for (size, own) in ty.sizes.iter().zip(&ty.strides) {
            let (size, own) = (size.unwrap_or(1), own.unwrap_or(1));
            if size < 1 {
                return;
            }
            let begin = self.random.within(0, size - 1);
            let stride = self.random.within(1, 3);
            let count = self.random.within(1, 1 + (size - 1 - begin) / stride);
            offsets.push(begin.to_string());
            sizes.push(count.to_string());
            strides.push(stride.to_string());
            offset += begin * own;
            steps.push((stride * own).to_string());
        }
        let element = match ty.element {
            Ty::Int(8) => "i8",
            Ty::Int(64) => "i64",
            _ => "i32",
        };
        let result = format!(
            "memref<{}x{element}, strided<[{}], offset: {offset}>>",
            sizes.join("x"),
            steps.join(", ")
        );
        let (Some(result), Some(segments)) =
            (self.cx.r#type(&result), self.cx.attribute("array<i32: 1, 0, 0, 0>"))
        else {
            return;
        };
        let list = |numbers: &[String]| {
            let text = format!("array<i64: {}>", numbers.join(", "));
            self.cx.attribute(&text).unwrap_or_else(|| panic!("{text} is an attribute"))
        };
        let attributes = [
            ("static_offsets", list(&offsets)),
            ("static_sizes", list(&sizes)),
            ("static_strides", list(&strides)),
            ("operandSegmentSizes", segments),
        ];
        let made =
            self.cx.build("memref.subview", &[memory], &attributes, Some(&[result]), &[], &[]);
        if let Some(made) = made {
            self.settle(block, made);
        }
    }

    /// Memory that is written, read through views and parts, and freed.
    fn allocation(&mut self, block: Block) {
        let shape = self.random.pick(&["4x8", "16", "2x3x4", "32"]);
        let element = self.random.pick(&["i8", "i32", "i32", "i64"]);
        let text = format!("memref<{shape}x{element}>");
        let Some(segments) = self.cx.attribute("array<i32: 0, 0>") else { return };
        let name = if self.random.percent(70) { "memref.alloc" } else { "memref.alloca" };
        let attributes = [("operandSegmentSizes", segments)];
        let memory = self.op(block, name, &[], &attributes, &[&text]).result();
        let Ty::MemRef(ty) = Ty::parse(&text) else { return };
        let sizes: Vec<i64> = ty.sizes.iter().map(|size| size.unwrap_or(1)).collect();
        // Each element is written once, by loops of the allocation's shape.
        self.fill(block, memory, &sizes, element);
        let before = self.pool.len();
        self.know(memory);
        for _ in 0..1 + self.random.index(3) {
            match self.random.index(4) {
                0 => self.subview(block),
                1 => self.access_of(block, memory, &ty),
                _ => self.view_access(block, memory),
            }
        }
        if name == "memref.alloc" && self.frees && self.random.percent(90) {
            self.traits.frees = true;
            self.op(block, "memref.dealloc", &[memory], &[], &[]);
            // Numbers that were loaded stay.
            let kept: Vec<_> = self.pool.split_off(before);
            let number = |ty: &Ty| matches!(ty, Ty::Int(_) | Ty::Index);
            self.pool.extend(kept.into_iter().filter(|(_, ty)| number(ty)));
        }
    }

    fn fill(&mut self, block: Block, memory: Value, sizes: &[i64], element: &str) {
        let value = self.any(block, element);
        let mut at = Vec::new();
        let mut loops = Vec::new();
        let mut body = block;
        for size in sizes {
            let bounds = [0, *size, 1].map(|value| self.constant(body, "index", value));
            let region = Region::new();
            let index = self.r#type("index");
            let inner = region.append(self.cx, &[index]);
            loops.push((body, bounds, region));
            at.push(inner.arguments()[0]);
            body = inner;
        }
        let own = self.cast_to(body, at[at.len() - 1], "index", element);
        let sum = self.op(body, "arith.addi", &[value, own], &[], &[element]).result();
        self.pool.pop();
        let mut operands = vec![sum, memory];
        operands.extend(at);
        self.op(body, "memref.store", &operands, &[], &[]);
        while let Some((outer, bounds, region)) = loops.pop() {
            self.op(body, "scf.yield", &[], &[], &[]);
            if let Some(made) = self.cx.build("scf.for", &bounds, &[], Some(&[]), &[region], &[]) {
                outer.append(made);
            }
            body = outer;
        }
    }
}
