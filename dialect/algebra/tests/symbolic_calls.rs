//! Every operation on random operands with symbols: an answer is the static algebra's at every choice of
//! values, and what is refused whatever the facts are is refused at each.

use layout_algebra::{
    AnyLayout, ComposedLayout, CoordOf, Expr, Fact, Facts, Layout, Nested, Op, Outer, Quotient,
    Swizzle, Symbol, Term, TilerOf, Tuple, Value, Values, Width, evaluate, integer::Error,
};

use layout_random::{Numbers as Draw, checked};

const NAMES: [&str; 3] = ["K", "M", "N"];

fn facts(draw: &mut Draw) -> Facts {
    let mut facts = Facts::new();
    for name in NAMES {
        let symbol = Symbol::new(name, Width::W32).expect("a name");
        let symbol = symbol.with_divisor(draw.pick(&[1, 1, 2, 3, 4, 8])).expect("a divisor");
        // Occasionally there is one value.
        let low = draw.within(1, 4) * symbol.divisor();
        let high = if draw.number(8) == 0 { low } else { i64::MAX };
        facts.insert(symbol.with_range(low, high).expect("a range")).expect("consistent");
    }
    facts
}

fn values(facts: &Facts, draw: &mut Draw) -> Values {
    let pairs = NAMES.into_iter().map(|name| {
        let symbol = facts.get(name).expect("declared");
        let (low, high) = symbol.range();
        let value = low + draw.within(0, 4) * symbol.divisor();
        (name, if value > high { low } else { value })
    });
    Values::new(facts, pairs).expect("allowed")
}

/// Makes operands.
struct Make<'m> {
    draw: &'m mut Draw,
    facts: &'m Facts,
}

impl Make<'_> {
    fn symbol(&mut self) -> Expr {
        let name = self.draw.pick(&NAMES);
        self.facts.symbol(name).expect("declared")
    }

    fn extent(&mut self) -> Expr {
        match self.draw.number(8) {
            0..3 => Expr::from(self.draw.pick(&[1, 2, 2, 3, 4, 4, 6, 8])),
            3..6 => {
                let factor = self.draw.within(1, 3);
                self.symbol().scaled(factor).expect("small")
            }
            6 => {
                let name = self.draw.pick(&NAMES);
                let divisor = self.facts.get(name).expect("declared").divisor();
                let symbol = self.facts.symbol(name).expect("declared");
                match self.facts.divide(&symbol, &Expr::from(divisor)) {
                    Quotient::Exact(quotient) => quotient,
                    other => panic!("the divisor divides: {other:?}"),
                }
            }
            _ => {
                let (a, b) = (self.symbol(), self.symbol());
                a.times(&b).expect("small")
            }
        }
    }

    fn layout(&mut self, rank: u64) -> Layout<Expr> {
        let mut next = Expr::from(1);
        let mut modes = Vec::new();
        for _ in 0..=self.draw.number(rank) {
            let extent = self.extent();
            let stride = match self.draw.number(8) {
                0 => Expr::from(self.draw.within(0, 8)),
                1 => self.symbol(),
                _ => next.scaled(self.draw.pick(&[1, 1, 1, 2])).expect("small"),
            };
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
        match modes.len() {
            1 => modes.remove(0),
            _ => Layout::make_layout(&modes).expect("some"),
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
        let offset = match self.draw.number(3) {
            0 => self.symbol(),
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
            _ => CoordOf::At(match self.draw.number(2) {
                0 => Expr::from(self.draw.within(0, 3)),
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

    fn tiler(&mut self, rank: usize) -> Value<Expr> {
        if self.draw.number(2) == 0 {
            return Value::Layout(self.layout(2));
        }
        let entries = (0..rank).map(|_| match self.draw.number(4) {
            0 => TilerOf::Any,
            _ => TilerOf::Layout(self.layout(1)),
        });
        Value::Tiler(TilerOf::Tuple(entries.collect()))
    }

    /// Operands for an operation: what it takes, most of the time.
    fn operands(&mut self, op: Op) -> Vec<Value<Expr>> {
        use Op::*;
        let plain = self.layout(3);
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
                0 => vec![plain.into()],
                _ => vec![plain.into(), self.shape(2).into()],
            },
            Nullspace | Filter | FilterZeros | Sort | MakeLayoutLike | IsInjective
            | IsSurjective | IsBijective | Stride => vec![plain.into()],
            Coalesce | Size | Rank | Shape => vec![basis_too(self)],
            Flatten | RightInverse | LeftInverse | Cosize | Depth | ToLinear => vec![first(self)],
            Coshape => match self.draw.number(2) {
                0 => vec![plain.into()],
                _ => vec![self.identity()],
            },
            Composition | LogicalDivide | ZippedDivide => {
                let layout = basis_too(self);
                let rank = shape_of(&layout).rank();
                vec![layout, self.tiler(rank)]
            }
            TiledDivide
            | FlatDivide
            | LogicalProduct
            | ZippedProduct
            | TiledProduct
            | FlatProduct
            | InBoundsOfDivide
            | InBoundsOfComposition => vec![plain.into(), self.tiler(rank)],
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
            MaxCommonVector | MaxCommonLayout => vec![plain.into(), self.layout(2).into()],
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
            ConflictFreeSwizzle => {
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
                        let rank = a.rank();
                        vec![a.into(), self.tiler(rank)]
                    }
                    _ => vec![a.into(), b.into()],
                }
            }
            LayoutOf => {
                let leaves = (0..3).map(|i| Nested::Leaf((2 * i).into()));
                let last = Nested::Leaf(self.extent());
                vec![Nested::Node(leaves.chain([last]).collect()).into()]
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
            // Until operands are drawn here, those of the example.
            other => match Term::parse(other.row().example.0) {
                Ok(Term::Call { args, .. }) => {
                    let values = args
                        .into_iter()
                        .map(|arg| Value::<Expr>::from(&arg.eval().expect("an operand")));
                    values.collect()
                }
                other => panic!("no call: {other:?}"),
            },
        }
    }
}

fn linear(draw: &mut Draw) -> Value<Expr> {
    let text = draw.pick(&[
        "linear<{x = [1,2]} -> {y = 4}>",
        "linear<{x = [2,1]} -> {y = 4}>",
        "linear<{x = [1]} -> {y = 2}>",
    ]);
    evaluate(text, &mut Facts::new()).expect("a linear layout")
}

/// Coordinates that are compared at each choice of values.
const COMPARED: i64 = 200;

fn any_layout(value: &Value) -> Option<AnyLayout> {
    match value {
        Value::Layout(layout) => Some(layout.clone().into()),
        Value::Composed(composed) => Some(composed.clone().into()),
        _ => None,
    }
}

/// Whether two answers mean the same: layouts are compared as functions, for the static algebra may
/// merge modes and fold swizzles that only go together at these values.
fn same(op: Op, found: &Value, expected: &Value) -> bool {
    let (found, expected) = (simple(found), simple(expected));
    if found == expected {
        return true;
    }
    if let (Some(a), Some(b)) = (any_layout(&found), any_layout(&expected)) {
        // A slice says how offsets continue from where it starts.
        let is_slice = matches!(op, Op::Slice | Op::LocalTile);
        let starts = is_slice.then(|| [&a, &b].map(|layout| layout.at(0).expect("small")));
        let [i, j] = starts.unwrap_or([0, 0]);
        return same_offsets(&a, -i, &b, -j);
    }
    match (op, &found, &expected) {
        // The tiles of a divide may come in modes that are one at these values.
        (Op::CeilDiv, _, _) => product(&found) == product(&expected),
        (_, Value::Basis(a), Value::Basis(b)) => {
            a.size() == b.size()
                && (0..a.size().min(COMPARED))
                    .all(|i| a.crd2crd(&Tuple::Leaf(i)) == b.crd2crd(&Tuple::Leaf(i)))
        }
        (Op::SliceAndOffset, Value::List(a), Value::List(b)) => {
            match (a.as_slice(), b.as_slice()) {
                ([a, Value::Int(i)], [b, Value::Int(j)]) => match (any_layout(a), any_layout(b)) {
                    (Some(a), Some(b)) => same_offsets(&a, *i, &b, *j),
                    _ => false,
                },
                ([a, i], [b, j]) => i == j && same(op, a, b),
                _ => false,
            }
        }
        (Op::InBoundsOfDivide | Op::InBoundsOfComposition, Value::List(a), Value::List(b)) => {
            let inside = |comparisons: &[Value], i: i64| {
                comparisons.iter().all(|comparison| match comparison {
                    Value::List(pair) => match pair.as_slice() {
                        [Value::Layout(layout), Value::Int(bound)] => {
                            i >= layout.size() || layout.at(i).is_ok_and(|at| at < *bound)
                        }
                        _ => false,
                    },
                    _ => false,
                })
            };
            (0..COMPARED).all(|i| inside(a, i) == inside(b, i))
        }
        _ => false,
    }
}

/// Whether a left inverse is right where the layout has offsets: elsewhere two may differ.
fn leads_back(found: &Value, of: &Term) -> bool {
    let Term::Literal(of) = of else { return false };
    let (Some(found), Some(of)) = (any_layout(found), any_layout(of)) else { return false };
    let comes_back = |i: i64| {
        let at = of.at(i)?;
        Ok::<_, layout_algebra::Error>(of.at(found.at(at)?)? == at)
    };
    (0..of.size().min(COMPARED)).all(|i| comes_back(i) == Ok(true))
}

/// How many tiles a shape of these has.
fn product(shape: &Value) -> Option<i64> {
    match shape {
        Value::Int(extent) => Some(*extent),
        Value::Tuple(shape) => shape.product().ok(),
        _ => None,
    }
}

/// A swizzled layout that changes nothing is the layout.
fn simple(value: &Value) -> Value {
    match value {
        Value::Composed(composed) => match composed.clone().simplified() {
            AnyLayout::Plain(layout) => Value::Layout(layout),
            AnyLayout::Composed(composed) => Value::Composed(composed),
        },
        other => other.clone(),
    }
}

fn same_offsets(a: &AnyLayout, i: i64, b: &AnyLayout, j: i64) -> bool {
    a.size() == b.size()
        && (0..a.size().min(COMPARED)).all(|c| match (a.at(c), b.at(c)) {
            (Ok(x), Ok(y)) => x + i == y + j,
            _ => false,
        })
}

/// Facts that an error calls ruled out are.
fn never_holds(needs: &[Fact], values: &Values) -> bool {
    let value = |expr: &Expr| values.evaluate(expr).expect("small");
    !needs.iter().any(|fact| match fact {
        Fact::Divides { divisor, of } => value(divisor) != 0 && value(of) % value(divisor) == 0,
        Fact::AtLeast { greater, less } => value(greater) >= value(less),
        Fact::Equal(a, b) => value(a) == value(b),
        Fact::Distinct(a, b) => value(a) != value(b),
        other => panic!("a new fact: {other}"),
    })
}

fn strided(shape: &Term, stride: &Value) -> Value {
    let tuple = |text: String| text.parse::<Tuple>().expect("a tuple");
    let (shape, stride) = (tuple(shape.to_string()), tuple(stride.to_string()));
    Value::Layout(Layout::new(shape, stride).expect("congruent"))
}

/// The outcome of one call.
#[derive(Default, Debug, Clone, Copy, PartialEq)]
struct Count {
    answered: usize,
    /// A fact is missing, or ruled out.
    open: usize,
    /// No matter which values: an operand that does not fit, a limit.
    refused: usize,
}

fn one_call(op: Op, draw: &mut Draw, count: &mut Count) {
    let facts = facts(draw);
    let operands = Make { draw, facts: &facts }.operands(op);
    let chosen: Vec<Values> = (0..3).map(|_| values(&facts, draw)).collect();
    let answer = op.apply_under(&facts, &operands).map_err(|error| match error.cause() {
        Error::Algebra(error) => Error::Algebra(error.cause().clone()),
        other => other.clone(),
    });
    let listed: Vec<String> = operands.iter().map(|operand| operand.annotated(&facts)).collect();
    let text = format!("{}({})", op.name(), listed.join(", "));
    for values in &chosen {
        let fixed = operands.iter().map(|operand| operand.substitute(values));
        let args: Vec<Term> = fixed.map(|value| Term::Literal(value.expect("small"))).collect();
        let shape = args[0].clone();
        let expected = Term::Call { op, args }.eval();
        match (&answer, expected) {
            (Ok(found), Ok(expected)) => {
                let mut found = found.substitute(values).expect("small");
                let mut expected = expected;
                if matches!(op, Op::CompactColMajor | Op::CompactRowMajor) {
                    // A mode that has one entry at these values moves nothing, whatever its stride.
                    [found, expected] = [found, expected].map(|stride| strided(&shape, &stride));
                }
                let is_right = same(op, &found, &expected)
                    || op == Op::LeftInverse && leads_back(&found, &shape);
                assert!(is_right, "{text} at {values:?}: {found}, not {expected}");
            }
            // Steps in different modes of a coordinate add up to one where the last has one entry.
            (Ok(_), Err(_)) if matches!(operands[0], Value::Basis(_)) => {}
            (Ok(found), Err(error)) => panic!("{text} at {values:?}: {found}, but {error}"),
            (Err(Error::Never { needs, .. }), _) => {
                assert!(never_holds(needs, values), "{text} at {values:?}: {answer:?}");
            }
            // A call that is refused whatever the facts are is refused at each value.
            (Err(Error::Algebra(layout_algebra::Error::Limit { .. })), _) => {}
            (Err(Error::Algebra(error)), Ok(expected)) => {
                panic!("{text}: {error}, but {expected} at {values:?}");
            }
            (Err(_), _) => {}
        }
    }
    match answer {
        Ok(_) => count.answered += 1,
        Err(Error::Missing { .. } | Error::Never { .. }) => count.open += 1,
        Err(_) => count.refused += 1,
    }
}

/// `SYMBOLIC_CALLS=100000 cargo test -p layout-algebra --release --test symbolic_calls` for longer, and
/// `SYMBOLIC_OPS="upcast downcast"` for some operations only.
#[test]
fn every_operation_agrees_with_the_static_one() {
    let requested = std::env::var("SYMBOLIC_CALLS").ok().and_then(|calls| calls.parse().ok());
    let calls: u64 = requested.unwrap_or(250);
    let named = std::env::var("SYMBOLIC_OPS").ok();
    for (place, &op) in Op::ALL.iter().enumerate() {
        if named.as_ref().is_some_and(|names| !names.split(' ').any(|name| name == op.name())) {
            continue;
        }
        let mut count = Count::default();
        for seed in 0..calls {
            checked((place as u64) << 32 | seed, |draw| one_call(op, draw, &mut count));
        }
        println!("{:24} {count:?}", op.name());
        assert!(count.answered > 0, "{} never answered: {count:?}", op.name());
    }
}
