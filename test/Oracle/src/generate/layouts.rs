//! Layouts and views.

use super::{Generator, SMALL, bits_of};
use crate::{
    interpret::{
        layout::Tree,
        layout_text::{Term, Text},
        types::Ty,
    },
    ir::{Block, Region, Type, Value},
};
use std::rc::Rc;

/// Types of elements.
const ELEMENTS: &[&str] = &["i8", "i16", "i32", "i32", "i64"];

impl Generator<'_, '_> {
    pub(super) fn layout_statement(&mut self, block: Block) {
        match self.random.index(18) {
            16 => self.term(block),
            17 => self.recast(block),
            0 | 1 => drop(self.constant_layout(block)),
            2..=4 => drop(self.dynamic_layout(block)),
            5 | 6 => self.view(block),
            7 | 8 => self.part(block),
            9 => self.coordinates(block),
            10 | 11 => self.offset(block),
            12 => self.recast(block),
            13 => self.call(block),
            _ => self.element(block),
        }
    }

    /// A shape with at most `most` coordinates, as text.
    fn shape(&mut self, most: i64, depth: usize) -> Tree {
        let rank = if depth == 0 { 1 + self.random.index(3) } else { 1 + self.random.index(2) };
        if rank == 1 && (depth > 0 || self.random.percent(60)) {
            let limit = most.clamp(1, 8);
            return Tree::Leaf(self.random.within(1, limit));
        }
        let each = match rank {
            1 => most,
            2 => (most as f64).sqrt() as i64,
            _ => (most as f64).cbrt() as i64,
        };
        Tree::Node(
            (0..rank)
                .map(|_| {
                    if depth < 2 && self.random.percent(25) {
                        self.shape(each, depth + 1)
                    } else {
                        Tree::Leaf(self.random.within(1, each.max(1)))
                    }
                })
                .collect(),
        )
    }

    fn stride(&mut self, shape: &Tree, compact: &mut i64) -> Tree {
        match shape {
            Tree::Node(entries) => {
                Tree::Node(entries.iter().map(|entry| self.stride(entry, compact)).collect())
            }
            Tree::Leaf(size) => {
                let stride = match self.random.index(10) {
                    0 => 0,
                    1 => -*compact,
                    2 => self.random.within(-6, 12),
                    3 => *compact + 1,
                    _ => *compact,
                };
                *compact *= size;
                Tree::Leaf(stride)
            }
            Tree::Hole => Tree::Hole,
        }
    }

    /// The text of a layout that is known.
    fn plain(&mut self, most: i64) -> String {
        let shape = self.shape(most, 0);
        let mut compact = if self.random.percent(80) { 1 } else { 2 };
        let stride = self.stride(&shape, &mut compact);
        format!("{}:{}", print(&shape), print(&stride))
    }

    fn layout_text(&mut self) -> String {
        let plain = self.plain(64);
        match self.random.index(10) {
            0 | 1 => {
                // Occasionally one that moves no bit.
                let bits = if self.random.percent(10) { 0 } else { self.random.within(1, 2) };
                let (base, shift) = (self.random.within(0, 2), self.random.within(bits.max(1), 3));
                let offset = if self.random.percent(50) { 0 } else { self.random.within(0, 20) };
                format!("S<{bits},{base},{shift}> o {offset} o {plain}")
            }
            2 => {
                let outer = self.plain(64);
                let offset = self.random.within(0, 5);
                format!("{outer} o {offset} o {plain}")
            }
            _ => plain,
        }
    }

    fn constant_layout(&mut self, block: Block) -> Option<Value> {
        let text = self.layout_text();
        let term = self.cx.attribute(&format!("#layout<{text}>"))?;
        let r#type = self.cx.r#type(&format!("!layout<{text}>"))?;
        let made =
            self.cx.build("layout.constant", &[], &[("term", term)], Some(&[r#type]), &[], &[])?;
        Some(self.settle(block, made)?.result())
    }

    /// A constant whose term is a call. The interpreter knows none of them: nothing reads it, and what passes make of it
    /// must be IR.
    fn term(&mut self, block: Block) {
        let text = self.call_text(1);
        let Some(term) = self.cx.attribute(&format!("#layout<{text}>")) else { return };
        let made = self.cx.build("layout.constant", &[], &[("term", term)], None, &[], &[]);
        match made {
            Some(made) if made.verifies() => block.append(made),
            Some(made) => made.destroy(),
            None => {}
        }
    }

    /// The text of a term that calls an operation of the algebra.
    fn call_text(&mut self, depth: usize) -> String {
        let layout = |this: &mut Self| match depth > 0 && this.random.percent(25) {
            true => this.call_text(depth - 1),
            false => this.layout_text(),
        };
        let first = layout(self);
        let bits = self.random.pick(&[4, 8, 16, 32]);
        match self.random.index(12) {
            0 | 1 => {
                let new = if self.random.percent(60) { bits } else { 16 };
                format!("recast({first}, {bits}, {new})")
            }
            2 => format!("{}({first}, 2)", self.random.pick(&["upcast", "downcast"])),
            3 => {
                let call =
                    self.random.pick(&["coalesce", "flatten", "complement", "right_inverse"]);
                format!("{call}({first})")
            }
            4 => format!("get({first}, {})", self.random.index(2)),
            5..8 => {
                let call = self.random.pick(&["logical", "zipped", "tiled", "flat"]);
                let kind = self.random.pick(&["divide", "product"]);
                let tiler = match self.random.percent(50) {
                    true => format!("({},{})", self.random.within(1, 4), self.random.within(1, 4)),
                    false => self.plain(8),
                };
                format!("{call}_{kind}({first}, {tiler})")
            }
            8 | 9 => format!("composition({first}, {})", self.plain(16)),
            10 => format!("make_layout({first}, {})", layout(self)),
            _ => {
                let call = self.random.pick(&["blocked_product", "raked_product", "left_inverse"]);
                match call {
                    "left_inverse" => format!("{call}({first})"),
                    _ => format!("{call}({first}, {})", self.plain(8)),
                }
            }
        }
    }

    /// A layout whose integers are partly operands.
    fn dynamic_layout(&mut self, block: Block) -> Option<Value> {
        let shape = self.shape(48, 0);
        let mut compact = 1;
        let stride = self.stride(&shape, &mut compact);
        let count = 1 + self.random.index(3);
        let mut facts = vec![None; count];
        let mut operands: Vec<Option<Value>> = vec![None; count];
        let small: Vec<Value> =
            self.pool[SMALL..SMALL + 3].iter().map(|(value, _)| *value).collect();
        let mut order = Vec::new();
        let shape = self.dynamic(&shape, true, count, &mut facts, &mut order);
        let stride = self.dynamic(&stride, false, count, &mut facts, &mut order);
        let mut text = format!("{shape}:{stride}");
        if self.random.percent(12) {
            let shift = self.random.within(2, 3);
            text = format!("S<2,0,{shift}> o {} o {text}", self.random.within(0, 8));
        }
        let mut values = Vec::new();
        for number in &order {
            let wide = facts[*number] == Some(true);
            let value = match (wide, self.random.index(3)) {
                (false, 0) => {
                    let value = self.random.within(1, 8);
                    self.constant(block, "i32", value)
                }
                (true, 0) => {
                    let value = self.random.within(1, 8);
                    self.constant(block, "i64", value)
                }
                (true, _) => small[2],
                (false, _) => small[self.random.index(2)],
            };
            operands[*number] = Some(value);
            values.push(value);
        }
        if values.is_empty() {
            return None;
        }
        let r#type = self.layout_type(&text)?;
        let made = self.cx.build("layout.make", &values, &[], Some(&[r#type]), &[], &[])?;
        Some(self.settle(block, made)?.result())
    }

    /// The type of layouts of this text; where MLIR reads another layout in it, that is kept.
    fn layout_type(&mut self, text: &str) -> Option<Type> {
        let r#type = self.cx.r#type(&format!("!layout<{text}>"))?;
        if let Ty::Layout(read) = &*self.reader.ty(r#type)
            && let (Ok(written), Ok(read)) = (Text::parse(text), Text::parse(read))
            && let Some(difference) = written.differs(&read)
        {
            self.misread.push(format!(
                "expected {} of '{text}', found {}, {}",
                difference.0, difference.1, difference.2
            ));
        }
        Some(r#type)
    }

    /// A tree's text, some leaves of it integers that are not known. `order` has them by first mention.
    fn dynamic(
        &mut self,
        tree: &Tree,
        extents: bool,
        count: usize,
        facts: &mut [Option<bool>],
        order: &mut Vec<usize>,
    ) -> String {
        match tree {
            Tree::Node(entries) => {
                let parts: Vec<String> = entries
                    .iter()
                    .map(|entry| self.dynamic(entry, extents, count, facts, order))
                    .collect();
                format!("({})", parts.join(","))
            }
            Tree::Leaf(value) => {
                if self.random.percent(55) {
                    return value.to_string();
                }
                let mut integer = |this: &mut Self| {
                    let number = this.random.index(count);
                    if order.contains(&number) {
                        return format!("?{number}");
                    }
                    order.push(number);
                    let wide = this.random.percent(30);
                    facts[number] = Some(wide);
                    let mut text = Vec::new();
                    if wide {
                        text.push("i64");
                    }
                    if extents || this.random.percent(50) {
                        text.push(this.random.pick(&[
                            "range=1..64",
                            "range=1..8",
                            "range=1..4032",
                            "range=1..",
                        ]));
                    }
                    if text.is_empty() {
                        format!("?{number}")
                    } else {
                        format!("?{number}{{{}}}", text.join(" "))
                    }
                };
                let first = integer(self);
                match self.random.index(8) {
                    0 | 1 => {
                        let second = integer(self);
                        let call = self.random.pick(&["min", "max"]);
                        format!("{call}({first},{second})")
                    }
                    2 => {
                        let second = integer(self);
                        let op = if extents { "+" } else { self.random.pick(&["-", "+", "*"]) };
                        format!("{first}{op}{second}")
                    }
                    3 => format!("{}*{first}", self.random.within(1, 4)),
                    4 if extents => format!("ceil_div({first},{})", self.random.within(1, 4)),
                    _ => first,
                }
            }
            Tree::Hole => "_".to_owned(),
        }
    }

    /// A view of memory.
    fn view(&mut self, block: Block) {
        if self.random.percent(25) {
            let memory = self.some(|ty| matches!(ty, Ty::MemRef(_)));
            if let Some((memory, _)) = memory {
                self.inferred(block, "layout.make_view", &[memory], &[]);
            }
            return;
        }
        let layout = self.some(|ty| matches!(ty, Ty::Layout(_)));
        let Some((layout, ty)) = layout else {
            self.constant_layout(block);
            return;
        };
        let Ty::Layout(text) = &*ty else { return };
        let element = self.random.pick(ELEMENTS);
        let pointer = self.pool[0].0;
        let (Some(attribute), Some(r#type)) = (
            self.cx.attribute(element),
            self.cx.r#type(&format!("!layout.view<{element}, host, {text}>")),
        ) else {
            return;
        };
        let attributes = [("element", attribute)];
        let operands = [pointer, layout];
        let made =
            self.cx.build("layout.make_view", &operands, &attributes, Some(&[r#type]), &[], &[]);
        if let Some(made) = made {
            self.settle(block, made);
        }
    }

    /// The known part of a layout's shape.
    fn known_shape(ty: &Ty) -> Option<Tree> {
        let text = match ty {
            Ty::Layout(text) => text.clone(),
            Ty::View(view) => view.layout.clone(),
            _ => return None,
        };
        match Text::parse(&text).ok()?.at(&[]).ok()? {
            Term::Layout(layout) => Some(layout.shape().clone()),
            _ => None,
        }
    }

    fn rank(ty: &Ty) -> Option<usize> {
        let text = match ty {
            Ty::Layout(text) => text.clone(),
            Ty::View(view) => view.layout.clone(),
            _ => return None,
        };
        let text = Text::parse(&text).ok()?;
        let ones = vec![1; text.integers.len()];
        match text.at(&ones).ok()? {
            Term::Layout(layout) => match layout.shape() {
                Tree::Node(modes) => Some(modes.len()),
                _ => Some(0),
            },
            _ => None,
        }
    }

    fn layout_or_view(&mut self) -> Option<(Value, Rc<Ty>)> {
        self.some(|ty| matches!(ty, Ty::Layout(_) | Ty::View(_)))
    }

    /// A slice, a tile, a part of a thread, a composition, or modes.
    fn part(&mut self, block: Block) {
        let Some((source, ty)) = self.layout_or_view() else { return };
        let shape = Self::known_shape(&ty);
        let way = self.random.index(6);
        if self.composed.contains(&source) && way != 4 {
            return;
        }
        match way {
            0 | 1 => {
                let Some(rank) = Self::rank(&ty) else { return };
                if rank < 2 {
                    return;
                }
                let keep = self.random.index(rank);
                let mut operands = vec![source];
                let mut parts = Vec::new();
                for i in 0..rank {
                    let size = shape.as_ref().and_then(|shape| shape.modes()[i].size().ok());
                    if i == keep || self.random.percent(30) {
                        parts.push("_".to_owned());
                    } else if let (Some(size), true) = (size, self.random.percent(70)) {
                        if self.random.percent(50) {
                            parts.push(self.random.within(0, size - 1).to_string());
                        } else {
                            let value = self.in_range(block, size);
                            operands.push(value);
                            parts.push("?".to_owned());
                        }
                    } else {
                        parts.push("0".to_owned());
                    }
                }
                self.with_coordinate(block, "layout.slice", &operands, &parts, None);
            }
            2 => {
                let Some(Tree::Node(modes)) = shape else { return };
                let mut operands = vec![source];
                let (mut parts, mut tiles) = (Vec::new(), Vec::new());
                for mode in &modes {
                    let Ok(size) = mode.size() else { return };
                    // Divisors, so that no tile is padded.
                    let divisors: Vec<i64> = (1..=size).filter(|n| size % n == 0).collect();
                    let tile = self.random.pick(&divisors);
                    tiles.push(tile.to_string());
                    if self.random.percent(30) {
                        parts.push("_".to_owned());
                    } else {
                        let value = self.in_range(block, size / tile);
                        operands.push(value);
                        parts.push("?".to_owned());
                    }
                }
                let tiler = format!("({})", tiles.join(","));
                self.with_coordinate(block, "layout.local_tile", &operands, &parts, Some(&tiler));
            }
            3 => {
                let Some(Tree::Node(modes)) = shape else { return };
                let mut threads = Vec::new();
                let mut count = 1;
                for mode in &modes {
                    let Ok(size) = mode.size() else { return };
                    let divisors: Vec<i64> = (1..=size.min(4)).filter(|n| size % n == 0).collect();
                    let own = self.random.pick(&divisors);
                    threads.push((own, count));
                    count *= own;
                }
                let shape: Vec<String> = threads.iter().map(|(own, _)| own.to_string()).collect();
                let stride: Vec<String> = threads.iter().map(|(_, at)| at.to_string()).collect();
                let term = format!("({}):({})", shape.join(","), stride.join(","));
                let value = self.in_range(block, count);
                let parts = ["?".to_owned()];
                self.with_coordinate(
                    block,
                    "layout.partition",
                    &[source, value],
                    &parts,
                    Some(&term),
                );
            }
            4 => {
                let Some(Ok(size)) = shape.map(|shape| shape.size()) else { return };
                let divisors: Vec<i64> = (1..=size).filter(|n| size % n == 0).collect();
                let step = self.random.pick(&divisors);
                let term = format!("#layout<{}:{step}>", size / step);
                if let Some(term) = self.cx.attribute(&term) {
                    self.inferred(block, "layout.composition", &[source], &[("term", term)]);
                }
            }
            _ => {
                let Some(rank) = Self::rank(&ty) else { return };
                if rank == 0 || !matches!(&*ty, Ty::Layout(_)) {
                    return;
                }
                let mode = self.random.index(rank);
                if let Some(modes) = self.cx.attribute(&format!("array<i64: {mode}>")) {
                    self.inferred(block, "layout.get", &[source], &[("modes", modes)]);
                }
            }
        }
    }

    fn with_coordinate(
        &mut self,
        block: Block,
        name: &str,
        operands: &[Value],
        parts: &[String],
        term: Option<&str>,
    ) {
        let text = match parts {
            [one] => one.clone(),
            parts => format!("({})", parts.join(",")),
        };
        let Some(coordinate) = self.cx.attribute(&format!("\"{text}\"")) else { return };
        let mut attributes = vec![("coord", coordinate)];
        if let Some(term) = term {
            let Some(term) = self.cx.attribute(&format!("#layout<{term}>")) else { return };
            attributes.push(("term", term));
        }
        self.inferred(block, name, operands, &attributes);
    }

    /// An index below a size.
    fn in_range(&mut self, block: Block, size: i64) -> Value {
        if self.random.percent(20) {
            let value = self.random.within(0, size - 1);
            return self.constant(block, "index", value);
        }
        let value = self.any(block, "index");
        let size = self.constant(block, "index", size);
        self.op(block, "arith.remui", &[value, size], &[], &["index"]).result()
    }

    /// Coordinates of an index.
    fn coordinates(&mut self, block: Block) {
        let shape = self.shape(64, 0);
        let Some(term) = self.cx.attribute(&format!("#layout<{}>", print(&shape))) else { return };
        // Not negative, as its precondition says; past the shape's size, too, and past 2^31.
        let value = match self.random.percent(70) {
            true => self.bounded(block, "index"),
            false => {
                let value = self.any(block, "index");
                let greatest = self.constant(block, "index", i64::MAX);
                self.op(block, "arith.andi", &[value, greatest], &[], &["index"]).result()
            }
        };
        let results = vec!["index"; shape.leaves().len()];
        let made = self.op(block, "layout.idx2crd", &[value], &[("shape", term)], &results);
        made.results().into_iter().for_each(|value| self.know(value));
    }

    /// The coordinate of an access: operands and text, with predicates where they are needed.
    fn coordinate(
        &mut self,
        block: Block,
        source: Value,
        ty: &Ty,
        predicates: &mut Vec<Value>,
    ) -> Option<(Vec<Value>, String)> {
        if let (Some(Tree::Node(modes)), true) = (Self::known_shape(ty), self.random.percent(60)) {
            let (mut operands, mut parts) = (Vec::new(), Vec::new());
            for mode in &modes {
                let size = mode.size().ok()?;
                match self.random.index(4) {
                    0 => parts.push(self.random.within(0, size - 1).to_string()),
                    1 => {
                        operands.push(self.in_range(block, size));
                        parts.push("?".to_owned());
                    }
                    _ => {
                        let value = self.any(block, "index");
                        let size = self.constant(block, "index", size);
                        predicates.push(self.predicate(block, value, size));
                        operands.push(value);
                        parts.push("?".to_owned());
                    }
                }
            }
            return Some((operands, format!("({})", parts.join(","))));
        }
        // One integer for all modes, below the size.
        let size = self.inferred(block, "layout.size", &[source], &[])?.result();
        let mut value = self.any(block, "index");
        if self.random.percent(40) {
            value = self.bounded(block, "index");
        }
        predicates.push(self.predicate(block, value, size));
        Some((vec![value], "?".to_owned()))
    }

    /// Where a coordinate goes.
    fn offset(&mut self, block: Block) {
        let Some((source, ty)) = self.some(|ty| matches!(ty, Ty::Layout(_))) else { return };
        let mut predicates = Vec::new();
        let Some((mut operands, text)) = self.coordinate(block, source, &ty, &mut predicates)
        else {
            return;
        };
        let Some(coordinate) = self.cx.attribute(&format!("\"{text}\"")) else { return };
        let (inner, region) = self.predicated(block, &predicates);
        let before = self.pool.len();
        operands.insert(0, source);
        let made = self.inferred(inner, "layout.crd2idx", &operands, &[("coord", coordinate)]);
        if let Some(made) = made
            && *self.reader.ty(made.result().r#type()) == Ty::Index
        {
            self.see_value(inner, made.result(), "index");
        }
        self.end(block, inner, &predicates, region, before);
    }

    fn end(
        &mut self,
        block: Block,
        inner: Block,
        predicates: &[Value],
        region: Option<Region>,
        before: usize,
    ) {
        if region.is_some() {
            self.pool.truncate(before);
        }
        self.finish_predicated(block, inner, predicates, region);
    }

    /// A load or a store of an element of a view.
    fn element(&mut self, block: Block) {
        let Some((source, ty)) = self.some(|ty| matches!(ty, Ty::View(_))) else {
            self.view(block);
            return;
        };
        self.element_of(block, source, &ty);
    }

    fn element_of(&mut self, block: Block, source: Value, ty: &Ty) {
        let Ty::View(view) = ty else { return };
        let element = match view.element {
            Ty::Int(4) => "i4",
            Ty::Int(8) => "i8",
            Ty::Int(16) => "i16",
            Ty::Int(32) => "i32",
            Ty::Int(64) => "i64",
            _ => return,
        };
        let mut predicates = Vec::new();
        let Some((at, text)) = self.coordinate(block, source, ty, &mut predicates) else { return };
        let Some(coordinate) = self.cx.attribute(&format!("\"{text}\"")) else { return };
        let attributes = [("coord", coordinate)];
        let (inner, region) = self.predicated(block, &predicates);
        let before = self.pool.len();
        let mut operands = vec![source];
        operands.extend(at);
        let (name, results) = if self.random.percent(50) {
            let value = if element == "i4" {
                let wide = self.any(inner, "i32");
                self.op(inner, "arith.trunci", &[wide], &[], &["i4"]).result()
            } else {
                self.any(inner, element)
            };
            operands.insert(0, value);
            ("layout.store", Vec::new())
        } else {
            ("layout.load", vec![self.r#type(element)])
        };
        let made = self.cx.build(name, &operands, &attributes, Some(&results), &[], &[]);
        if let Some(made) = made
            && let Some(made) = self.settle(inner, made)
            && let Some(loaded) = made.results().first()
        {
            let (loaded, ty) = if element == "i4" {
                (self.op(inner, "arith.extui", &[*loaded], &[], &["i32"]).result(), "i32")
            } else {
                (*loaded, element)
            };
            self.know(loaded);
            if region.is_some() || self.random.percent(50) {
                self.see_value(inner, loaded, ty);
            }
        }
        self.end(block, inner, &predicates, region, before);
    }

    /// A view of an allocation, and an access through it.
    pub(super) fn view_access(&mut self, block: Block, memory: Value) {
        let Some(made) = self.inferred(block, "layout.make_view", &[memory], &[]) else { return };
        let ty = self.reader.ty(made.result().r#type());
        if self.random.percent(40) {
            self.part(block);
        }
        self.element_of(block, made.result(), &ty);
    }

    /// A view of the same memory with other elements. Which layouts can be recast is for the verifier to say.
    fn recast(&mut self, block: Block) {
        let Some((source, ty)) = self.some(|ty| matches!(ty, Ty::View(_))) else { return };
        if self.composed.contains(&source) {
            return;
        }
        let Ty::View(view) = &*ty else { return };
        let bits = view.element.bits().unwrap_or(64);
        // The lowering refuses elements of less than a byte: seldom, for each is a module that must be halved.
        let element = match self.random.percent(8) {
            true => "i4",
            false => self.random.pick(&["i8", "i16", "i32", "i64"]),
        };
        if bits <= 4 || bits == bits_of(element) {
            return;
        }
        if let Some(attribute) = self.cx.attribute(element) {
            let attributes = [("element", attribute)];
            let made = self.inferred(block, "layout.recast", &[source], &attributes);
            if let Some(made) = made {
                let ty = self.reader.ty(made.result().r#type());
                self.element_of(block, made.result(), &ty);
            }
        }
    }

    /// A function that takes a view and an index, made before the program that calls it.
    pub(super) fn callee(&mut self) {
        let text = self.layout_text();
        let Some(r#type) = self.cx.r#type(&format!("!layout.view<i32, host, {text}>")) else {
            return;
        };
        let index = self.r#type("index");
        let region = Region::new();
        let block = region.append(self.cx, &[r#type, index]);
        let pool = std::mem::take(&mut self.pool);
        block.arguments().into_iter().for_each(|value| self.know(value));
        let ty = self.reader.ty(r#type);
        let view = block.arguments()[0];
        self.element_of(block, view, &ty);
        self.element_of(block, view, &ty);
        let value = self.any(block, "index");
        self.op(block, "func.return", &[value], &[], &[]);
        self.pool = pool;
        let name = format!("{}_callee", self.name);
        self.finish(&name, &format!("({}, index) -> index", r#type.text()), region, true);
        self.callees.push((name, r#type));
    }

    fn call(&mut self, block: Block) {
        let Some((name, r#type)) = self.callees.first().cloned() else { return };
        let expected = self.reader.ty(r#type);
        let found = self.some(|ty| *ty == *expected);
        let view = match found {
            Some((view, _)) => view,
            None => {
                let Ty::View(view) = &*expected else { return };
                let text = view.layout.clone();
                let (Some(term), Some(layout), Some(element)) = (
                    self.cx.attribute(&format!("#layout<{text}>")),
                    self.cx.r#type(&format!("!layout<{text}>")),
                    self.cx.attribute("i32"),
                ) else {
                    return;
                };
                let layout = [layout];
                let made = self.cx.build(
                    "layout.constant",
                    &[],
                    &[("term", term)],
                    Some(&layout),
                    &[],
                    &[],
                );
                let Some(made) = made.and_then(|made| self.settle(block, made)) else { return };
                let operands = [self.pool[0].0, made.result()];
                let attributes = [("element", element)];
                let made = self.cx.build(
                    "layout.make_view",
                    &operands,
                    &attributes,
                    Some(&[r#type]),
                    &[],
                    &[],
                );
                let Some(made) = made.and_then(|made| self.settle(block, made)) else { return };
                made.result()
            }
        };
        let index = self.any(block, "index");
        let Some(callee) = self.cx.attribute(&format!("@{name}")) else { return };
        let made = self.op(block, "func.call", &[view, index], &[("callee", callee)], &["index"]);
        self.know(made.result());
    }
}

/// A tree as text.
fn print(tree: &Tree) -> String {
    match tree {
        Tree::Leaf(leaf) => leaf.to_string(),
        Tree::Hole => "_".to_owned(),
        Tree::Node(entries) => {
            let parts: Vec<String> = entries.iter().map(print).collect();
            format!("({})", parts.join(","))
        }
    }
}
