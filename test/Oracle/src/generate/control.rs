//! Loops, branches and calls.

use super::{Generator, bits_of};
use crate::{
    ir::{Block, Region, Value},
    random::Draws,
};

/// Iterations of a loop at most.
const TRIPS: i64 = 300;

impl Generator<'_, '_> {
    /// A loop that is counted: `scf.for`, signed and unsigned, `affine.for` or `scf.parallel`.
    pub(super) fn counted(&mut self, block: Block) {
        match self.random.index(10) {
            0 if !self.inner => self.affine_loop(block),
            1 if !self.inner => self.parallel_loop(block),
            _ => self.for_loop(block),
        }
    }

    fn trips(&mut self) -> i64 {
        let most = (TRIPS / self.repeats as i64).max(2);
        match self.random.index(4) {
            0 => self.random.within(0, most.min(300)),
            1 => self.random.within(0, 2),
            _ => self.random.within(0, most.min(12)),
        }
    }

    fn for_loop(&mut self, block: Block) {
        let ty = self.random.pick(&["index", "index", "i8", "i16", "i32", "i32", "i64"]);
        let bits = bits_of(ty);
        let unsigned = self.random.percent(40);
        let trips = self.trips();
        let limit = if bits == 8 { 40 } else { 1 << 24 };
        let step = match self.random.index(4) {
            0 => self.random.within(1, limit),
            1 => self.random.within(1, 9),
            _ => 1,
        };
        // Upstream reads the step as signed.
        if bits < 63 && step >= 1 << (bits - 1) {
            if !unsigned || !self.strange {
                return;
            }
            self.traits.stock = false;
        }
        let begin = match self.random.index(4) {
            0 | 1 => self.random.within(0, 4),
            _ => self.random.edge(bits),
        };
        let (least, most) = if unsigned {
            (0, if bits >= 63 { i128::from(u64::MAX) } else { (1 << bits) - 1 })
        } else {
            (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
        };
        let wrap = |value: i64| {
            let value = i128::from(value);
            if unsigned && value < 0 { value + most + 1 } else { value.clamp(least, most) }
        };
        let begin = wrap(begin);
        // The last step does not pass the end of the type.
        let trips = i128::from(trips).min((most - begin) / i128::from(step));
        let end = begin + trips * i128::from(step) - i128::from(step > 1 && trips > 0);
        // An upper bound that is not known: a small value, or as much past the lower one, which at the end of
        // the type wraps, and the loop does not run.
        let dynamic = self.random.percent(25);
        let has_offset = dynamic && self.random.percent(60);
        // Upstream computes the number of iterations in the type's own bits.
        if !unsigned && (end - begin > most || (dynamic && !has_offset && 63 - begin > most)) {
            if !self.strange {
                return;
            }
            self.traits.stock = false;
        }
        let lower = self.constant(block, ty, begin as i64);
        let upper = match (dynamic, has_offset) {
            (true, true) => {
                let many = self.bounded(block, ty);
                self.op(block, "arith.addi", &[lower, many], &[], &[ty]).result()
            }
            (true, false) => self.bounded(block, ty),
            (false, _) => self.constant(block, ty, end as i64),
        };
        let by = self.constant(block, ty, if dynamic { 1 } else { step });
        let iterations = if dynamic { 64 } else { trips.max(1) as usize };
        let carried: Vec<&'static str> = (0..self.random.index(3)).map(|_| self.width()).collect();
        let mut operands = vec![lower, upper, by];
        for ty in &carried {
            let value = self.any(block, ty);
            operands.push(value);
        }
        let mut types = vec![self.r#type(ty)];
        types.extend(carried.iter().map(|ty| self.r#type(ty)));
        let region = Region::new();
        let body = region.append(self.cx, &types);
        if unsigned && self.random.percent(60) {
            self.observe(body, ty);
        }
        self.body(body, iterations, "scf.yield", &carried);
        let mut attributes = Vec::new();
        if unsigned && let Some(unit) = self.cx.attribute("unit") {
            attributes.push(("unsignedCmp", unit));
        }
        let made =
            self.cx.build("scf.for", &operands, &attributes, Some(&types[1..]), &[region], &[]);
        if let Some(made) = made {
            block.append(made);
            made.results().into_iter().for_each(|value| self.know(value));
        }
    }

    /// Has what a comparison and a cast make of a loop's counter compared.
    fn observe(&mut self, body: Block, ty: &'static str) {
        let before = self.pool.len();
        let counter = body.arguments()[0];
        let wide = self.cast_to(body, counter, ty, "i64");
        self.see_value(body, wide, "i64");
        let value = self.random.edge(bits_of(ty));
        let value = self.constant(body, ty, value);
        let (i64, predicate) = (self.r#type("i64"), 2 + self.random.index(8) as i64);
        let attributes = [("predicate", self.cx.integer(i64, predicate))];
        let operands = [counter, value];
        let boolean = self.op(body, "arith.cmpi", &operands, &attributes, &["i1"]).result();
        self.see_value(body, boolean, "i1");
        self.pool.truncate(before);
    }

    /// Statements of a loop's body and what ends it.
    fn body(&mut self, body: Block, iterations: usize, end: &str, carried: &[&'static str]) {
        let (before, repeats) = (self.pool.len(), self.repeats);
        self.repeats = repeats.saturating_mul(iterations);
        body.arguments().into_iter().for_each(|value| self.know(value));
        self.inside(body);
        let values: Vec<Value> = carried.iter().map(|ty| self.any(body, ty)).collect();
        self.op(body, end, &values, &[], &[]);
        self.pool.truncate(before);
        self.repeats = repeats;
    }

    /// A value from 0 to 63.
    pub(super) fn bounded(&mut self, block: Block, ty: &str) -> Value {
        let value = self.any(block, ty);
        let mask = self.constant(block, ty, 63);
        let made = self.op(block, "arith.andi", &[value, mask], &[], &[ty]);
        self.know(made.result());
        made.result()
    }

    fn affine_loop(&mut self, block: Block) {
        let begin = self.random.within(-20, 20);
        let (trips, step) = (self.trips(), self.random.within(1, 9));
        let attribute = |text: String| self.cx.attribute(&text);
        let index = self.r#type("index");
        let (Some(lower), Some(upper), Some(segments)) = (
            attribute(format!("affine_map<() -> ({begin})>")),
            attribute(format!("affine_map<() -> ({})>", begin + trips * step)),
            attribute("array<i32: 0, 0, 0>".to_owned()),
        ) else {
            return;
        };
        let region = Region::new();
        let body = region.append(self.cx, &[index]);
        self.body(body, trips.max(1) as usize, "affine.yield", &[]);
        let attributes = [
            ("lowerBoundMap", lower),
            ("upperBoundMap", upper),
            ("step", self.cx.integer(index, step)),
            ("operandSegmentSizes", segments),
        ];
        if let Some(made) = self.cx.build("affine.for", &[], &attributes, Some(&[]), &[region], &[])
        {
            block.append(made);
        }
    }

    fn parallel_loop(&mut self, block: Block) {
        let rank = 1 + self.random.index(2);
        let index = self.r#type("index");
        let mut bounds = [Vec::new(), Vec::new(), Vec::new()];
        let mut iterations = 1;
        for _ in 0..rank {
            let begin = self.random.within(-2, 3);
            let trips = self.trips().min(6);
            iterations *= trips.max(1) as usize;
            let step = self.random.within(1, 4);
            for (i, value) in [begin, begin + trips * step, step].into_iter().enumerate() {
                let value = self.constant(block, "index", value);
                bounds[i].push(value);
            }
        }
        let region = Region::new();
        let body = region.append(self.cx, &vec![index; rank]);
        self.body(body, iterations, "scf.reduce", &[]);
        let segments = self.cx.attribute(&format!("array<i32: {rank}, {rank}, {rank}, 0>"));
        let Some(segments) = segments else { return };
        let attributes = [("operandSegmentSizes", segments)];
        let operands = bounds.concat();
        let made = self.cx.build("scf.parallel", &operands, &attributes, Some(&[]), &[region], &[]);
        if let Some(made) = made {
            block.append(made);
        }
    }

    /// `scf.if`, with values or without.
    pub(super) fn branch(&mut self, block: Block) {
        let condition = self.compare(block);
        let types: Vec<&'static str> = (0..self.random.index(3)).map(|_| self.width()).collect();
        let yes = self.arm(&types);
        let no = if types.is_empty() && self.random.percent(60) {
            Region::new()
        } else {
            self.arm(&types)
        };
        self.choice(block, "scf.if", condition, &[], &types, &[yes, no]);
    }

    fn choice(
        &mut self,
        block: Block,
        name: &str,
        condition: Value,
        attributes: &[(&str, crate::ir::Attribute)],
        types: &[&'static str],
        regions: &[Region],
    ) {
        let types: Vec<_> = types.iter().map(|ty| self.r#type(ty)).collect();
        if let Some(made) =
            self.cx.build(name, &[condition], attributes, Some(&types), regions, &[])
        {
            block.append(made);
            made.results().into_iter().for_each(|value| self.know(value));
        }
    }

    fn arm(&mut self, types: &[&'static str]) -> Region {
        let region = Region::new();
        let body = region.append(self.cx, &[]);
        self.body(body, 1, "scf.yield", types);
        region
    }

    /// `scf.while`, `scf.index_switch` or `scf.execute_region`.
    pub(super) fn other_region(&mut self, block: Block) {
        match self.random.index(4) {
            0 => {
                let types: Vec<&'static str> =
                    (0..1 + self.random.index(2)).map(|_| self.width()).collect();
                let region =
                    if self.random.percent(40) { self.blocks(&types) } else { self.arm(&types) };
                let types: Vec<_> = types.iter().map(|ty| self.r#type(ty)).collect();
                let made =
                    self.cx.build("scf.execute_region", &[], &[], Some(&types), &[region], &[]);
                if let Some(made) = made {
                    block.append(made);
                    made.results().into_iter().for_each(|value| self.know(value));
                }
            }
            1 => {
                // Upstream's lowering compares 32 bits of it.
                let condition = if self.strange {
                    self.traits.stock = false;
                    self.any(block, "index")
                } else {
                    self.bounded(block, "index")
                };
                let cases: Vec<String> =
                    (0..1 + self.random.index(3)).map(|i| (i * 2).to_string()).collect();
                let types: Vec<&'static str> = vec![self.width()];
                let regions: Vec<Region> = (0..=cases.len()).map(|_| self.arm(&types)).collect();
                let attribute = self.cx.attribute(&format!("array<i64: {}>", cases.join(", ")));
                let Some(attribute) = attribute else { return };
                let attributes = [("cases", attribute)];
                self.choice(block, "scf.index_switch", condition, &attributes, &types, &regions);
            }
            _ => self.while_loop(block),
        }
    }

    /// A bounded loop that ends by a comparison.
    fn while_loop(&mut self, block: Block) {
        let ty = self.random.pick(&["i8", "i16", "i32", "i64", "index"]);
        let begin = self.random.edge(bits_of(ty));
        let begin = self.constant(block, ty, begin);
        let count = self.constant(block, "i32", 0);
        let types = [self.r#type("i32"), self.r#type(ty)];
        let trips = self.trips().max(1);
        let before = Region::new();
        let first = before.append(self.cx, &types);
        let arguments = first.arguments();
        let pool = self.pool.len();
        arguments.iter().for_each(|value| self.know(*value));
        let most = self.constant(first, "i32", trips);
        let (i64, less) = (self.r#type("i64"), self.random.pick(&[2, 6]));
        let predicate = self.cx.integer(i64, less);
        let attributes = [("predicate", predicate)];
        let goes =
            self.op(first, "arith.cmpi", &[arguments[0], most], &attributes, &["i1"]).result();
        let goes = if self.random.percent(50) {
            let other = self.compare(first);
            self.op(first, "arith.andi", &[goes, other], &[], &["i1"]).result()
        } else {
            goes
        };
        self.op(first, "scf.condition", &[goes, arguments[0], arguments[1]], &[], &[]);
        self.pool.truncate(pool);
        let after = Region::new();
        let second = after.append(self.cx, &types);
        let arguments = second.arguments();
        arguments.iter().for_each(|value| self.know(*value));
        let repeats = self.repeats;
        self.repeats = repeats.saturating_mul(trips as usize);
        self.inside(second);
        self.repeats = repeats;
        let one = self.constant(second, "i32", 1);
        let next = self.op(second, "arith.addi", &[arguments[0], one], &[], &["i32"]).result();
        let value = self.any(second, ty);
        self.op(second, "scf.yield", &[next, value], &[], &[]);
        self.pool.truncate(pool);
        let operands = [count, begin];
        let made = self.cx.build("scf.while", &operands, &[], Some(&types), &[before, after], &[]);
        if let Some(made) = made {
            block.append(made);
            made.results().into_iter().for_each(|value| self.know(value));
        }
    }
}
