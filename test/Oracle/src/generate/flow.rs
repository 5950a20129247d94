//! Blocks with arguments, and branches between them.

use super::Generator;
use crate::ir::{Block, Region, Value};

impl Generator<'_, '_> {
    /// A region of several blocks that ends with values of these types.
    pub(super) fn blocks(&mut self, types: &[&'static str]) -> Region {
        let region = Region::new();
        let pool = self.pool.len();
        let first = region.append(self.cx, &[]);
        self.inside(first);
        let mut block = self.flow(&region, first);
        if self.random.percent(30) {
            block = self.flow(&region, block);
        }
        self.inside(block);
        let values: Vec<Value> = types.iter().map(|ty| self.any(block, ty)).collect();
        self.op(block, "scf.yield", &values, &[], &[]);
        self.pool.truncate(pool);
        region
    }

    /// Branches from a block on; the block in which they meet again.
    pub(super) fn flow(&mut self, region: &Region, from: Block) -> Block {
        self.traits.blocks = true;
        if self.random.percent(45) { self.round(region, from) } else { self.diamond(region, from) }
    }

    /// A block with arguments of these types, which may be read from it on.
    fn new_block(&mut self, region: &Region, types: &[&'static str]) -> Block {
        let types: Vec<_> = types.iter().map(|ty| self.r#type(ty)).collect();
        region.append(self.cx, &types)
    }

    fn values(&mut self, block: Block, types: &[&'static str]) -> Vec<Value> {
        types.iter().map(|ty| self.any(block, ty)).collect()
    }

    fn branch_to(&mut self, block: Block, to: Block, values: &[Value]) {
        if let Some(made) = self.cx.build("cf.br", values, &[], Some(&[]), &[], &[to]) {
            block.append(made);
        }
    }

    fn branch_by(
        &mut self,
        block: Block,
        condition: Value,
        yes: (Block, &[Value]),
        no: (Block, &[Value]),
    ) {
        let segments = format!("array<i32: 1, {}, {}>", yes.1.len(), no.1.len());
        let Some(segments) = self.cx.attribute(&segments) else { return };
        let operands = [&[condition], yes.1, no.1].concat();
        let attributes = [("operandSegmentSizes", segments)];
        let to = [yes.0, no.0];
        let made = self.cx.build("cf.cond_br", &operands, &attributes, Some(&[]), &[], &to);
        if let Some(made) = made {
            block.append(made);
        }
    }

    /// Two ways that meet; one of them may be empty, and one may continue to the other.
    fn diamond(&mut self, region: &Region, from: Block) -> Block {
        let condition = self.compare(from);
        let types: Vec<&'static str> =
            (0..1 + self.random.index(2)).map(|_| self.width()).collect();
        let own: Vec<&'static str> = (0..self.random.index(2)).map(|_| self.width()).collect();
        let (left, right) = (self.new_block(region, &own), self.new_block(region, &own));
        let join = self.new_block(region, &types);
        let given = [self.values(from, &own), self.values(from, &own)];
        if self.random.percent(30) {
            let direct = self.values(from, &types);
            self.branch_by(from, condition, (left, &given[0]), (join, &direct));
        } else {
            self.branch_by(from, condition, (left, &given[0]), (right, &given[1]));
        }
        let pool = self.pool.len();
        left.arguments().into_iter().for_each(|value| self.know(value));
        self.inside(left);
        if self.random.percent(25) {
            let (condition, onward) = (self.compare(left), self.values(left, &own));
            let values = self.values(left, &types);
            self.branch_by(left, condition, (join, &values), (right, &onward));
        } else {
            let values = self.values(left, &types);
            self.branch_to(left, join, &values);
        }
        self.pool.truncate(pool);
        right.arguments().into_iter().for_each(|value| self.know(value));
        self.inside(right);
        let values = self.values(right, &types);
        self.branch_to(right, join, &values);
        self.pool.truncate(pool);
        join.arguments().into_iter().for_each(|value| self.know(value));
        join
    }

    /// A loop that counts, with a second way out.
    fn round(&mut self, region: &Region, from: Block) -> Block {
        let count = self.random.pick(&["i8", "i32", "i64", "index"]);
        let trips = self.random.within(0, 9);
        let carried: Vec<&'static str> = (0..self.random.index(3)).map(|_| self.width()).collect();
        let types = [&[count], &*carried].concat();
        let header = self.new_block(region, &types);
        let body = self.new_block(region, &[]);
        let exit = self.new_block(region, &carried);
        let begin = self.random.pick(&[0, 0, 3, -5]);
        let mut values = vec![self.constant(from, count, begin)];
        values.extend(self.values(from, &carried));
        self.branch_to(from, header, &values);
        // The header's values may be read in the body and after it.
        let arguments = header.arguments();
        arguments.iter().for_each(|value| self.know(*value));
        let end = self.constant(header, count, begin + trips);
        let predicate = self.random.pick(&[2, 1]);
        let i64 = self.r#type("i64");
        let attributes = [("predicate", self.cx.integer(i64, predicate))];
        let operands = [arguments[0], end];
        let goes = self.op(header, "arith.cmpi", &operands, &attributes, &["i1"]).result();
        self.branch_by(header, goes, (body, &[]), (exit, &arguments[1..]));
        let (pool, repeats) = (self.pool.len(), self.repeats);
        self.repeats = repeats.saturating_mul(trips.max(1) as usize);
        self.inside(body);
        let one = self.constant(body, count, 1);
        let mut next =
            vec![self.op(body, "arith.addi", &[arguments[0], one], &[], &[count]).result()];
        next.extend(self.values(body, &carried));
        if self.random.percent(35) {
            let (condition, out) = (self.compare(body), self.values(body, &carried));
            self.branch_by(body, condition, (header, &next), (exit, &out));
        } else {
            self.branch_to(body, header, &next);
        }
        self.repeats = repeats;
        self.pool.truncate(pool);
        exit.arguments().into_iter().for_each(|value| self.know(value));
        exit
    }
}
