//! Random facts, values that they allow, and operands of each operation.

use layout_algebra::{
    ComposedLayout, CoordOf, Expr, Facts, Layout, Nested, Op, Outer, Quotient, Swizzle, Symbol,
    TilerOf, Tuple, Value, Values, Width, evaluate,
};
use layout_random::Numbers as Draw;

/// Extents and strides.
const NAMES: [&str; 3] = ["K", "M", "N"];

/// Strides, offsets and coordinates: `X` of either sign, `Z` of at least 0.
const SIGNED: [&str; 2] = ["X", "Z"];

pub(crate) fn facts(draw: &mut Draw) -> Facts {
    let mut facts = Facts::new();
    for name in NAMES {
        let symbol = Symbol::new(name, Width::W32).expect("a name");
        let symbol = symbol.with_divisor(draw.pick(&[1, 1, 2, 3, 4, 8])).expect("a divisor");
        let low = draw.within(1, 4) * symbol.divisor();
        let high = match draw.number(8) {
            // Occasionally there is one value, or few.
            0 => low,
            1 => low + draw.within(1, 3) * symbol.divisor(),
            _ => i64::MAX,
        };
        facts.insert(symbol.with_range(low, high).expect("a range")).expect("consistent");
    }
    for (name, least) in SIGNED.into_iter().zip([-4, 0]) {
        let symbol = Symbol::new(name, Width::W32).expect("a name");
        let symbol = symbol.with_divisor(draw.pick(&[1, 1, 2, 4])).expect("a divisor");
        let (low, high) = match draw.number(4) {
            0 => (least, 4),
            1 => (0, 0),
            _ => (if least < 0 { i64::MIN } else { 0 }, i64::MAX),
        };
        facts.insert(symbol.with_range(low, high).expect("a range")).expect("consistent");
    }
    if draw.number(4) == 0 {
        let mut make = Make { draw, facts: &facts };
        let (greater, less) = (make.extent(), make.leaf());
        // One that the facts rule out states nothing.
        let _ = facts.assume_at_least(&greater, &less);
    }
    facts
}

/// Values that the facts allow; none are found for some relations.
pub(crate) fn values(facts: &Facts, draw: &mut Draw) -> Option<Values> {
    (0..8).find_map(|_| {
        let pairs = NAMES.into_iter().chain(SIGNED).map(|name| {
            let symbol = facts.get(name).expect("declared");
            let (low, high) = symbol.range();
            // Where there is no least value, from a few below 0 on.
            let low = low.max(-2 * symbol.divisor());
            let value = low + draw.within(0, 4) * symbol.divisor();
            (name, if value > high { low } else { value })
        });
        Values::new(facts, pairs).ok()
    })
}

/// Makes operands.
pub(crate) struct Make<'m> {
    pub(crate) draw: &'m mut Draw,
    pub(crate) facts: &'m Facts,
}

impl Make<'_> {
    fn symbol(&mut self) -> Expr {
        let name = self.draw.pick(&NAMES);
        self.facts.symbol(name).expect("declared")
    }

    fn extent(&mut self) -> Expr {
        match self.draw.number(8) {
            0..3 => Expr::from(self.draw.pick(&[1, 2, 2, 3, 4, 4, 6, 8])),
            3..5 => {
                let factor = self.draw.within(1, 3);
                self.symbol().scaled(factor).expect("small")
            }
            5 => {
                let name = self.draw.pick(&NAMES);
                let divisor = self.facts.get(name).expect("declared").divisor();
                let symbol = self.facts.symbol(name).expect("declared");
                match self.facts.divide(&symbol, &Expr::from(divisor)) {
                    Quotient::Exact(quotient) => quotient,
                    other => panic!("the divisor divides: {other:?}"),
                }
            }
            6 => {
                let (a, b) = (self.symbol(), self.symbol());
                a.times(&b).expect("small")
            }
            _ => {
                let leaf = self.leaf();
                match self.facts.at_least(&leaf, &Expr::from(1)).is_yes() {
                    true => leaf,
                    false => self.symbol(),
                }
            }
        }
    }

    /// An expression of any form, which may be 0 and below.
    fn leaf(&mut self) -> Expr {
        let (a, b) = (self.symbol(), self.symbol());
        let number = Expr::from(self.draw.pick(&[2, 3, 4, 6, 8]));
        let facts = self.facts;
        let leaf = match self.draw.number(9) {
            0 => facts.ceil_div(&a, &number),
            1 => facts.floor_div(&a, &number),
            2 => facts.modulo(&a, &number),
            3 => facts.min(&a, &b),
            4 => facts.min(&a, &number),
            5 => a.plus(&b),
            6 => a.minus(&b),
            7 => a.plus(&number),
            _ => facts.symbol(self.draw.pick(&SIGNED)),
        };
        leaf.expect("small")
    }

    /// A symbol that has one value, where the facts have such a one.
    fn one_valued(&mut self) -> Expr {
        let mut names = NAMES.into_iter().chain(SIGNED);
        let known = names.find(|name| {
            let symbol = self.facts.get(name).expect("declared");
            symbol.range().0 == symbol.range().1
        });
        match known {
            Some(name) => self.facts.symbol(name).expect("declared"),
            None => self.extent(),
        }
    }

    fn stride(&mut self, next: &Expr) -> Expr {
        match self.draw.number(10) {
            0 => Expr::from(self.draw.within(0, 8)),
            1 => self.symbol(),
            2 => self.leaf(),
            _ => next.scaled(self.draw.pick(&[1, 1, 1, 2])).expect("small"),
        }
    }

    fn layout(&mut self, rank: u64) -> Layout<Expr> {
        let mut next = Expr::from(1);
        let mut modes = Vec::new();
        for _ in 0..=self.draw.number(rank) {
            let extent = self.extent();
            let stride = self.stride(&next);
            if stride != Expr::from(0) {
                next = extent.times(&stride).expect("small");
            }
            // Occasionally backwards.
            let stride = match self.draw.number(8) {
                0 => stride.scaled(-1).expect("small"),
                _ => stride,
            };
            let (extent, stride) = (Nested::Leaf(extent), Nested::Leaf(stride));
            modes.push(Layout::<Expr>::under(self.facts, extent, stride).expect("positive"));
        }
        // By rows as often as by columns.
        if self.draw.number(2) == 0 {
            modes.reverse();
        }
        // Some nested in a mode.
        if modes.len() > 1 && self.draw.number(4) == 0 {
            let within = modes.split_off(self.draw.index(modes.len()));
            modes.push(Layout::make_layout(&within).expect("some"));
        }
        match modes.len() {
            1 => modes.remove(0),
            _ => Layout::make_layout(&modes).expect("some"),
        }
    }

    /// The layout that another operation answers, whose leaves are what operations make of symbols.
    fn derived(&mut self) -> Option<Layout<Expr>> {
        let op = self.draw.pick(&[
            Op::Coalesce,
            Op::Complement,
            Op::RightInverse,
            Op::Composition,
            Op::LogicalDivide,
            Op::ZippedDivide,
            Op::LogicalProduct,
            Op::BlockedProduct,
            Op::Filter,
            Op::TileToShape,
        ]);
        let mut values = vec![Value::Layout(self.layout(2))];
        match op {
            Op::Complement => values.push(Value::Int(self.extent())),
            Op::TileToShape => values.push(Nested::Node(vec![self.shape(1), self.shape(1)]).into()),
            Op::Composition | Op::LogicalDivide | Op::ZippedDivide => {
                let tile = self.draw.pick(&[2, 3, 4, 8]);
                values.push(Value::Int(Expr::from(tile)));
            }
            Op::LogicalProduct | Op::BlockedProduct => values.push(self.layout(1).into()),
            _ => {}
        }
        match op.apply_under(self.facts, &values) {
            Ok(Value::Layout(layout)) => Some(layout),
            _ => None,
        }
    }

    /// A layout as an operation's first operand.
    fn plain(&mut self) -> Layout<Expr> {
        match self.draw.number(40) {
            0 => Layout::<Expr>::parse("():()").expect("rank 0").0,
            1..8 => {
                let derived = self.derived();
                derived.unwrap_or_else(|| self.layout(3))
            }
            _ => self.layout(3),
        }
    }

    fn shape(&mut self, rank: u64) -> Nested<Expr> {
        if rank == 1 || self.draw.number(3) == 0 {
            return Nested::Leaf(self.extent());
        }
        let entries = (0..=self.draw.number(rank)).map(|_| self.shape(1)).collect();
        Nested::Node(entries)
    }

    fn swizzle(&mut self) -> Swizzle {
        let (bits, base) = (self.draw.pick(&[0, 1, 2, 2]), self.draw.pick(&[0, 1, 2]));
        Swizzle::new(bits, base, self.draw.pick(&[1, 2, 2, 3, -2, 0])).expect("few bits")
    }

    fn composed(&mut self) -> Value<Expr> {
        let outer = match self.draw.number(8) {
            0 => Outer::Layout(self.layout(2)),
            _ => Outer::Swizzle(self.swizzle()),
        };
        let offset = match self.draw.number(6) {
            0 => self.symbol(),
            1 => self.leaf(),
            _ => Expr::from(self.draw.pick(&[0, 0, 4, 8])),
        };
        Value::Composed(ComposedLayout { outer, offset, inner: self.layout(2) })
    }

    fn coord(&mut self, shape: &Nested<Expr>) -> CoordOf<Expr> {
        match (shape, self.draw.number(3)) {
            (_, 0) => CoordOf::Any,
            (Nested::Node(entries), 1) => {
                CoordOf::Tuple(entries.iter().map(|entry| self.coord(entry)).collect())
            }
            _ => CoordOf::At(match self.draw.number(4) {
                0..2 => Expr::from(self.draw.within(0, 3)),
                2 => self.leaf(),
                _ => self.symbol(),
            }),
        }
    }

    fn int(&mut self, low: i64, high: i64) -> Value<Expr> {
        Value::Int(match self.draw.number(16) {
            0 => self.symbol(),
            _ => Expr::from(self.draw.within(low, high)),
        })
    }

    fn identity(&mut self) -> Value<Expr> {
        let shape = Nested::Node(vec![self.shape(1), self.shape(2)]);
        Op::MakeIdentityLayout
            .apply_under(self.facts, &[shape.into()])
            .expect("extents are positive")
    }

    /// A coordinate layout, of which modes may step in any part, and by more than one.
    fn coordinates(&mut self) -> Value<Expr> {
        let paths = self.draw.pick(&[["0", "1"], ["0", "1"], ["0@0", "1"], ["0@1", "1@1"]]);
        let modes = (0..=self.draw.number(3)).map(|_| {
            let scale = match self.draw.number(4) {
                0 => self.symbol(),
                _ => Expr::from(self.draw.pick(&[1, 1, 2, 4])),
            };
            (self.extent().to_string(), format!("({scale})@{}", self.draw.pick(&paths)))
        });
        let (extents, steps): (Vec<_>, Vec<_>) = modes.unzip();
        let text = format!("({}):({})", extents.join(","), steps.join(","));
        evaluate(&text, &mut self.facts.clone()).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn order(&mut self, rank: usize) -> Value<Expr> {
        let mut order: Vec<_> = (0..rank).map(|i| Nested::Leaf(Expr::from(i as i64))).collect();
        if self.draw.number(2) == 0 {
            order.reverse();
        }
        Nested::Node(order).into()
    }

    /// A layout, a tuple of tilers, or a shape.
    fn tiler(&mut self, shape: &Nested<Expr>) -> Value<Expr> {
        match self.draw.number(8) {
            0..4 => Value::Layout(self.layout(2)),
            4 => self.shape(1 + shape.rank() as u64).into(),
            _ => Value::Tiler(TilerOf::Tuple(
                shape.entries().iter().map(|mode| self.tiler_of(mode)).collect(),
            )),
        }
    }

    fn tiler_of(&mut self, mode: &Nested<Expr>) -> TilerOf<Layout<Expr>> {
        match (mode, self.draw.number(8)) {
            (_, 0..2) => TilerOf::Any,
            (Nested::Node(entries), 2..5) => {
                TilerOf::Tuple(entries.iter().map(|entry| self.tiler_of(entry)).collect())
            }
            (_, 7) => TilerOf::Layout(self.layout(2)),
            _ => TilerOf::Layout(self.layout(1)),
        }
    }

    /// A value of any kind.
    fn any(&mut self) -> Value<Expr> {
        match self.draw.number(11) {
            0 => Value::Int(self.extent()),
            1 => Value::Int(self.leaf()),
            2 => self.shape(3).into(),
            3 => {
                let shape = self.shape(2);
                Value::Coord(self.coord(&shape))
            }
            4 => self.composed(),
            5 => Value::Swizzle(self.swizzle()),
            6 => {
                let shape = self.shape(2);
                self.tiler(&shape)
            }
            7 => self.coordinates(),
            8 => self.identity(),
            9 => linear(self.draw),
            _ => self.plain().into(),
        }
    }

    /// Operands for an operation, and whether it takes them: occasionally one is of any kind, or there is one more.
    pub(crate) fn operands(&mut self, op: Op) -> (Vec<Value<Expr>>, bool) {
        use Op::*;
        let mut operands = self.usual_operands(op);
        let has_mode = matches!(op, Get | Select | Size | Cosize | Rank | Depth | Shape | Stride);
        match self.draw.number(16) {
            0..3 => {
                // Whether there is another tile depends on the values.
                let count = if op == LocalTile { 2 } else { operands.len() };
                let place = self.draw.index(count);
                operands[place] = self.any();
            }
            3 => operands.push(self.any()),
            4 if has_mode => operands.push(self.int(0, 1)),
            _ => return (operands, true),
        }
        (operands, false)
    }

    /// Operands that an operation mostly takes.
    fn usual_operands(&mut self, op: Op) -> Vec<Value<Expr>> {
        use Op::*;
        let plain = self.plain();
        let rank = plain.rank();
        let first = |make: &mut Self| match make.draw.number(4) {
            0 => make.composed(),
            _ => Value::Layout(plain.clone()),
        };
        let basis_too = |make: &mut Self| match make.draw.number(4) {
            0 => make.identity(),
            _ => first(make),
        };
        let shape_of = |value: &Value<Expr>| match value {
            Value::Layout(layout) => layout.shape().clone(),
            Value::Composed(composed) => composed.inner.shape().clone(),
            Value::Basis(basis) => basis.shape().clone(),
            other => panic!("no layout: {other}"),
        };
        // Coordinate layouts, where an operation takes them.
        if self.draw.number(4) == 0 {
            match op {
                Composition | LogicalDivide | ZippedDivide | TiledDivide | FlatDivide => {
                    return vec![plain.into(), self.coordinates()];
                }
                RightInverse | LeftInverse | Nullspace | IsInjective | IsSurjective
                | IsBijective | Complement | Cosize | Coshape | Coalesce | Flatten => {
                    return vec![self.coordinates()];
                }
                LogicalProduct | ZippedProduct | TiledProduct | FlatProduct => {
                    return vec![self.coordinates(), self.layout(2).into()];
                }
                BlockedProduct | RakedProduct => {
                    return vec![self.coordinates(), self.coordinates()];
                }
                _ => {}
            }
        }
        match op {
            Complement => match self.draw.number(2) {
                0 => vec![first(self)],
                _ => vec![first(self), self.shape(2).into()],
            },
            Nullspace | Filter | FilterZeros | Sort | MakeLayoutLike => vec![first(self)],
            IsInjective | IsSurjective | IsBijective | Stride => vec![plain.into()],
            Coalesce | Size | Rank | Shape => vec![basis_too(self)],
            Flatten | RightInverse | LeftInverse | Cosize | Depth | ToLinear => vec![first(self)],
            Coshape => match self.draw.number(2) {
                0 => vec![first(self)],
                _ => vec![self.identity()],
            },
            Composition | LogicalDivide | ZippedDivide => {
                let layout = basis_too(self);
                let shape = shape_of(&layout);
                // Swizzles and composed layouts on either side.
                match (op, self.draw.number(8)) {
                    (Composition, 0) => vec![Value::Swizzle(self.swizzle()), layout],
                    (Composition, 1) => vec![layout, self.composed()],
                    (Composition, 2) => vec![Value::Swizzle(self.swizzle()), self.composed()],
                    _ => vec![layout, self.tiler(&shape)],
                }
            }
            TiledDivide
            | FlatDivide
            | LogicalProduct
            | ZippedProduct
            | TiledProduct
            | FlatProduct
            | InBoundsOfDivide
            | InBoundsOfComposition => {
                let shape = plain.shape().clone();
                vec![first(self), self.tiler(&shape)]
            }
            Unzip => {
                let pairs =
                    [Layout::make_layout(&[self.layout(1), self.layout(1)]).expect("two"), {
                        Layout::make_layout(&[self.layout(1), self.layout(2)]).expect("two")
                    }];
                let tiler = TilerOf::Tuple(vec![TilerOf::Any, TilerOf::Any]);
                vec![Layout::make_layout(&pairs).expect("two").into(), Value::Tiler(tiler)]
            }
            BlockedProduct | RakedProduct | Append | Prepend => {
                vec![first(self), self.layout(2).into()]
            }
            Zip => {
                let [a, b] = [2, 2].map(|_| {
                    Value::<Expr>::from(
                        Layout::make_layout(&[self.layout(1), self.layout(2)]).expect("two"),
                    )
                });
                vec![a, b]
            }
            MaxCommonVector | MaxCommonLayout => match self.draw.number(4) {
                0 => vec![self.composed(), plain.into()],
                1 => vec![plain.into(), self.composed()],
                2 => {
                    let composed = self.composed();
                    vec![composed.clone(), composed]
                }
                _ => vec![plain.into(), self.layout(2).into()],
            },
            MakeLayout => vec![plain.into(), self.layout(1).into()],
            Get | Select => vec![first(self), self.int(0, 1)],
            Group => vec![first(self), self.int(0, 0), self.int(1, 2)],
            Take => vec![first(self), self.int(0, 0), self.int(1, 2)],
            Replace => vec![first(self), self.int(0, 1), self.layout(2).into()],
            MakeOrderedLayout => {
                let shape = Nested::Node(vec![self.shape(1), self.shape(1)]);
                let order: Tuple = self.draw.pick(&["(0,1)", "(1,0)"]).parse().expect("a tuple");
                vec![
                    shape.into(),
                    layout_algebra::Nested::<layout_algebra::Expr>::from(&order).into(),
                ]
            }
            MakeIdentityLayout => vec![self.shape(3).into()],
            CompactColMajor | CompactRowMajor => {
                let shape = self.shape(3);
                match self.draw.number(3) {
                    0 => vec![shape.into()],
                    1 => vec![shape.into(), Value::Int(self.extent())],
                    _ => {
                        let start = (0..shape.rank()).map(|_| self.shape(1)).collect();
                        vec![shape.into(), Nested::Node(start).into()]
                    }
                }
            }
            DomainDistribute => vec![self.shape(3).into(), Value::Int(self.extent())],
            Distribute => {
                let pair = Layout::make_layout(&[self.layout(1), self.layout(1)]).expect("two");
                vec![first(self), self.shape(1).into(), pair.into()]
            }
            BankConflicts => {
                let layout = first(self);
                let access: Layout = self
                    .draw
                    .pick(&["(4,2):(1,4)", "(8,1):(1,0)", "(2,4):(4,1)"])
                    .parse()
                    .expect("one");
                vec![layout, Value::Layout((&access).into()), self.int(16, 16)]
            }
            ConflictFreeSwizzle | LinearSwizzle => {
                let access: Layout = "(4,2):(1,4)".parse().expect("one");
                let access = Value::Layout((&access).into());
                vec![plain.into(), access.clone(), access, self.int(32, 32)]
            }
            Crd2Idx | Slice | SliceAndOffset => {
                let layout = basis_too(self);
                let coord = self.coord(&shape_of(&layout));
                let coord = match (op, coord.to_tuple()) {
                    (Crd2Idx, Some(tuple)) => tuple.into(),
                    (Crd2Idx, None) => Value::Int(self.symbol()),
                    _ => Value::Coord(coord),
                };
                vec![coord, layout]
            }
            Idx2Crd => match self.draw.number(2) {
                0 => vec![Value::Int(self.symbol()), self.shape(3).into()],
                _ => {
                    let shape = plain.shape().clone();
                    vec![Value::Int(self.symbol()), shape.into(), plain.stride().clone().into()]
                }
            },
            Dice => {
                let layout = first(self);
                let coord = Value::Coord(self.coord(&shape_of(&layout)));
                match self.draw.number(3) {
                    0 => vec![coord, shape_of(&layout).into()],
                    _ => vec![coord, layout],
                }
            }
            TileToShape => {
                let (block, shape) = (first(self), self.shape(2));
                match self.draw.number(2) {
                    0 => vec![block, shape.into()],
                    _ => {
                        let order = self.order(shape.rank());
                        vec![block, shape.into(), order]
                    }
                }
            }
            LocalTile => {
                let tile = (0..rank).map(|_| self.shape(1)).collect();
                // Whether there is another tile depends on the values.
                let coord = match self.draw.number(2) {
                    0 => Value::Int(Expr::from(0)),
                    _ => Value::Coord(CoordOf::Any),
                };
                vec![first(self), Nested::Node(tile).into(), coord]
            }
            Transpose => vec![basis_too(self)],
            Reshape => {
                let mut shape = plain.shape().clone();
                if let (Nested::Node(entries), 0) = (&mut shape, self.draw.number(2)) {
                    entries.reverse();
                }
                let shape = match self.draw.number(2) {
                    0 => shape,
                    _ => Nested::Leaf(shape.product().expect("small")),
                };
                vec![plain.into(), shape.into()]
            }
            ProductEach => vec![self.shape(3).into()],
            MaxAlignment => vec![first(self)],
            TupleAdd | TupleSub => vec![self.shape(3).into(), self.shape(3).into()],
            MakeComposedLayout => match self.composed() {
                Value::Composed(composed) => {
                    let outer = match composed.outer {
                        Outer::Swizzle(swizzle) => Value::Swizzle(swizzle),
                        Outer::Layout(layout) => Value::Layout(layout),
                    };
                    vec![outer, Value::Int(composed.offset), Value::Layout(composed.inner)]
                }
                other => panic!("not composed: {other}"),
            },
            Upcast | Downcast => vec![first(self), self.int(1, 4)],
            Recast | RecastLayout => {
                let bits = [8, 16, 32].map(|bits| Value::Int(Expr::from(bits)));
                let (a, b) = (self.draw.number(3), self.draw.number(3));
                vec![first(self), bits[a as usize].clone(), bits[b as usize].clone()]
            }
            ShapeDiv | CeilDiv | RoundUp | Congruent | WeaklyCongruent | Compatible
            | EvenlyDivides => {
                let (a, b) = (self.shape(3), self.shape(2));
                // One from which the other may come.
                let size = || a.product().map(Nested::Leaf).expect("small");
                match self.draw.number(5) {
                    0 => vec![size().into(), a.into()],
                    1 => vec![a.clone().into(), a.into()],
                    2 if matches!(op, CeilDiv | EvenlyDivides) => {
                        let tiler = self.tiler(&a);
                        vec![a.into(), tiler]
                    }
                    _ => vec![a.into(), b.into()],
                }
            }
            LayoutOf => {
                let leaves = match self.draw.number(2) {
                    0 => vec![Expr::from(0), self.one_valued()],
                    _ => [0, 2, 4].into_iter().map(Expr::from).chain([self.extent()]).collect(),
                };
                vec![Nested::Node(leaves.into_iter().map(Nested::Leaf).collect()).into()]
            }
            Commutes => {
                let mut swizzle = || {
                    let text = self.draw.pick(&["S<1,0,1>", "S<1,1,1>", "S<2,0,3>", "S<2,4,-2>"]);
                    evaluate(text, &mut Facts::new()).expect("a swizzle")
                };
                vec![swizzle(), swizzle()]
            }
            ToLayout | Invert | PseudoInvert => vec![linear(self.draw)],
            InvertAndCompose | LinearProduct | DivideLeft | DivideRight => {
                vec![linear(self.draw), linear(self.draw)]
            }
            Quotient => {
                let text = "linear<{x = [(1,0)], block = [(0,1)]} -> {y = 2, block = 2}>";
                let input = match self.draw.number(4) {
                    0 => self.one_valued(),
                    _ => Expr::from(self.draw.within(0, 1)),
                };
                let layout = evaluate(text, &mut Facts::new()).expect("a linear layout");
                vec![layout, Value::Int(input)]
            }
            FreeVariables | NumConsecutive => vec![linear(self.draw)],
            ElemLess | Increment => {
                let shape = self.shape(3);
                let coord = match self.draw.number(2) {
                    0 => self.shape(3),
                    _ => self.coord_in(&shape),
                };
                vec![coord.into(), shape.into()]
            }
            Equal => match self.draw.number(4) {
                0 => vec![self.composed(), self.composed()],
                1 => vec![self.shape(2).into(), self.shape(2).into()],
                2 => vec![plain.clone().into(), plain.into()],
                _ => vec![first(self), first(self)],
            },
            other => panic!("expected operands of `{}` to be drawn here", other.name()),
        }
    }

    /// A coordinate that nests as a shape.
    fn coord_in(&mut self, shape: &Nested<Expr>) -> Nested<Expr> {
        match shape {
            Nested::Leaf(_) => Nested::Leaf(match self.draw.number(2) {
                0 => Expr::from(self.draw.within(0, 2)),
                _ => self.leaf(),
            }),
            Nested::Node(entries) => {
                Nested::Node(entries.iter().map(|entry| self.coord_in(entry)).collect())
            }
        }
    }
}

fn linear(draw: &mut Draw) -> Value<Expr> {
    let text = draw.pick(&[
        "linear<{x = [1,1], lane = [2,3]} -> {y = 4}>",
        "linear<{x = [1,2]} -> {y = 4}>",
        "linear<{x = [2,1]} -> {y = 4}>",
        "linear<{x = [1]} -> {y = 2}>",
    ]);
    evaluate(text, &mut Facts::new()).expect("a linear layout")
}
