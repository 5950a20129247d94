//! Emits layout operations at one point: what all tile programs are written with. Imports no other part.

use layout_dialect::{
    build::{Builder, Val, first_result, result},
    ops::Limit,
};
use melior::ir::{
    Attribute, Type, ValueLike,
    attribute::{DenseI64ArrayAttribute, FloatAttribute},
};

/// The result of emission.
pub(crate) type Emitted<T> = Result<T, melior::Error>;

/// A coordinate along one mode, partitioned, and the extent it must stay below.
pub(crate) struct Predicate<'c> {
    pub(crate) view: Val<'c>,
    pub(crate) limit: Limit<'c>,
}

impl<'c> Predicate<'c> {
    /// The predicates of a part: of what `part` makes of their coordinates, as it does of the data.
    pub(crate) fn each(
        predicates: &[Self],
        part: impl Fn(Val<'c>) -> Emitted<Val<'c>>,
    ) -> Emitted<Vec<Self>> {
        let part =
            |predicate: &Self| Ok(Self { view: part(predicate.view)?, limit: predicate.limit });
        predicates.iter().map(part).collect()
    }
}

/// An extent of a matrix: a number, or what an `index` is at run time.
pub(crate) type Extent<'c> = Limit<'c>;

/// The extents of a GEMM, after `swap_ab`.
#[derive(Clone, Copy)]
pub(crate) struct Extents<'c> {
    pub(crate) m: Extent<'c>,
    pub(crate) n: Extent<'c>,
    pub(crate) k: Extent<'c>,
    pub(crate) batch: Option<Extent<'c>>,
}

impl<'c> Extents<'c> {
    /// Whether a number is known for each.
    pub(crate) fn are_known(&self) -> bool {
        let batch = self.batch.is_none_or(|batch| batch.known().is_some());
        batch && [self.m, self.n, self.k].iter().all(|extent| extent.known().is_some())
    }
}

/// The multicast and the L2 eviction priority of a copy.
#[derive(Clone, Copy, Default)]
pub(crate) struct CopyHints {
    /// The mode of a cluster along which blocks differ that make it for each other.
    pub(crate) multicast: Option<i64>,
    /// Whether its lines leave the L2 cache before all others.
    pub(crate) evict_first: bool,
    /// The predicate beyond whose limit its elements need not be zero.
    pub(crate) no_zfill: Option<i64>,
}

/// Emits layout operations at one point.
#[derive(Clone, Copy)]
pub(crate) struct Emit<'c> {
    pub(crate) b: Builder<'c>,
}

impl<'c> Emit<'c> {
    /// For each mode that a tile may leave, the coordinate along it as a view, and its extent; of a
    /// batch of so many matrices, none of which a tile leaves.
    pub(crate) fn predicates(
        &self,
        extent: (Extent<'c>, Extent<'c>),
        batch: Option<Extent<'c>>,
        ragged: (bool, bool),
    ) -> Emitted<Vec<Predicate<'c>>> {
        let extents: Vec<Extent<'c>> = [extent.0, extent.1].into_iter().chain(batch).collect();
        let mut predicates = Vec::new();
        for (mode, needed) in [ragged.0, ragged.1].into_iter().enumerate() {
            if needed {
                predicates.push(self.coordinate(&extents, mode)?);
            }
        }
        Ok(predicates)
    }

    /// The coordinate along every mode, as bulk copies take them.
    pub(crate) fn coordinates(
        &self,
        extent: (Extent<'c>, Extent<'c>),
        batch: Option<Extent<'c>>,
    ) -> Emitted<Vec<Predicate<'c>>> {
        let extents: Vec<Extent<'c>> = [extent.0, extent.1].into_iter().chain(batch).collect();
        (0..extents.len()).map(|mode| self.coordinate(&extents, mode)).collect()
    }

    fn coordinate(&self, extents: &[Extent<'c>], mode: usize) -> Emitted<Predicate<'c>> {
        let strides: Vec<i64> = (0..extents.len()).map(|i| i64::from(i == mode)).collect();
        let (mut shape, mut at_run_time) = (Vec::with_capacity(extents.len()), Vec::new());
        for extent in extents {
            shape.push(match extent {
                Extent::Known(extent) => extent.to_string(),
                Extent::At(value) => {
                    at_run_time.push(*value);
                    "?{i64}".to_owned()
                }
            });
        }
        let layout = format!("({}):({})", shape.join(","), join(&strides));
        let r#type = self.parse(&format!("!layout.view<index, coordinate, {layout}>"))?;
        let of = match at_run_time.as_slice() {
            [] => Vec::new(),
            sizes => {
                let r#type = self.parse(&format!("!layout<{layout}>"))?;
                vec![self.b.value("layout.make", sizes, r#type, &[])?]
            }
        };
        let view = self.b.value("layout.identity_tensor", &of, r#type, &[])?;
        Ok(Predicate { view, limit: extents[mode] })
    }

    /// The extent of a view's mode at the top, as an `index`.
    pub(crate) fn extent_of(&self, view: Val<'c>, mode: usize) -> Emitted<Val<'c>> {
        let term_value = layout_dialect::ViewType::try_from(view.r#type())?.term_value();
        let rank = term_value.ok().and_then(|term_value| term_value.rank()).unwrap_or(1);
        let pattern: Vec<&str> = (0..rank).map(|i| if i == mode { "_" } else { "0" }).collect();
        let own = self.slice(view, &format!("({})", pattern.join(",")), &[])?;
        Ok(first_result(self.b.inferred("layout.size", &[own], &[])?))
    }

    /// An extent as an `index`.
    pub(crate) fn value(&self, extent: Extent<'c>) -> Emitted<Val<'c>> {
        match extent {
            Extent::Known(extent) => self.b.constant(Type::index(self.b.context()), extent),
            Extent::At(value) => Ok(value),
        }
    }

    /// The number of tiles of a given size that cover an extent, rounded up to a multiple.
    pub(crate) fn cover(
        &self,
        extent: Extent<'c>,
        part: i64,
        multiple: i64,
    ) -> Emitted<Extent<'c>> {
        let cover = |extent: i64, part: i64| (extent - 1) / part + 1;
        let value = match extent {
            Extent::Known(extent) => {
                return Ok(Extent::Known(cover(cover(extent, part), multiple) * multiple));
            }
            Extent::At(value) => value,
        };
        let number = |value: i64| self.b.constant(Type::index(self.b.context()), value);
        let size = part.saturating_mul(multiple);
        let sum = self.b.binary("arith.addi", value, number(size - 1)?)?;
        let parts = self.b.binary("arith.divui", sum, number(size)?)?;
        Ok(Extent::At(match multiple {
            1 => parts,
            _ => self.b.binary("arith.muli", parts, number(multiple)?)?,
        }))
    }

    /// The transpose of a matrix, or of each of a batch, whose own transpose has these extents, where they are known.
    pub(crate) fn turned(
        &self,
        view: Val<'c>,
        (m, n): (i64, i64),
        batch: Option<i64>,
        known: bool,
    ) -> Emitted<Val<'c>> {
        // A composition leaves a last mode of one element no stride, and tiles that are longer continue in it.
        if !known || n == 1 {
            let modes = if batch.is_some() { &[1, 0, 2][..] } else { &[1, 0] };
            let modes = DenseI64ArrayAttribute::new(self.b.context(), modes).into();
            let attributes = [("modes", modes)];
            return Ok(first_result(self.b.inferred("layout.select", &[view], &attributes)?));
        }
        let term = match batch {
            None => format!("({m},{n}):({n},1)"),
            // The numbers of a matrix's elements fit, as the layouts of it do.
            Some(batch) => format!("({m},{n},{batch}):({n},1,{})", m.saturating_mul(n)),
        };
        self.algebra("layout.composition", view, &term)
    }

    /// Blocks along x, so many for each matrix: the one of a matrix, and the matrix's number.
    pub(crate) fn row_of(
        &self,
        block: Val<'c>,
        rows: Extent<'c>,
        batch: Option<Extent<'c>>,
    ) -> Emitted<(Val<'c>, Option<Val<'c>>)> {
        let Some(batch) = batch else { return Ok((block, None)) };
        let Some(rows) = rows.known() else {
            // A grid has a row of blocks where one tile covers M, even if M is 0.
            let one = self.b.constant(Type::index(self.b.context()), 1)?;
            let rows = self.b.binary("arith.maxui", self.value(rows)?, one)?;
            let number = self.b.binary("arith.divui", block, rows)?;
            return Ok((self.b.binary("arith.remui", block, rows)?, Some(number)));
        };
        // The last digit continues past its extent.
        let place = self.idx2crd(block, &format!("({rows},{})", batch.known().unwrap_or(1)))?;
        Ok((result(place, 0), Some(result(place, 1))))
    }

    /// The product of extents.
    pub(crate) fn product(&self, a: Extent<'c>, b: Extent<'c>) -> Emitted<Extent<'c>> {
        Ok(match (a, b) {
            (Extent::Known(a), Extent::Known(b)) => Extent::Known(a.saturating_mul(b)),
            (Extent::Known(1), other) | (other, Extent::Known(1)) => other,
            _ => Extent::At(self.b.binary("arith.muli", self.value(a)?, self.value(b)?)?),
        })
    }

    /// A matrix of a batch: the one of this number, or the first, which is all of them.
    pub(crate) fn matrix(&self, view: Val<'c>, number: Option<Val<'c>>) -> Emitted<Val<'c>> {
        let term_value = layout_dialect::ViewType::try_from(view.r#type())?.term_value().ok();
        let layout = term_value.and_then(|term_value| term_value.representative());
        let Some(matrices) = layout.and_then(|layout| layout.mode(2)) else {
            return Ok(view);
        };
        // The distance to a next matrix does not matter where there is one, to vectors neither.
        match number.filter(|_| matrices.size() != 1) {
            Some(number) => self.slice(view, "(_,_,?)", &[number]),
            None => self.slice(view, "(_,_,0)", &[]),
        }
    }

    pub(crate) fn copy(
        &self,
        atom: &str,
        source: Val<'c>,
        target: Val<'c>,
        predicates: &[Predicate<'c>],
    ) -> Emitted<()> {
        self.copy_for(CopyHints::default(), atom, source, target, predicates)
    }

    /// A copy that travels as it says.
    pub(crate) fn copy_for(
        &self,
        travel: CopyHints,
        atom: &str,
        source: Val<'c>,
        target: Val<'c>,
        predicates: &[Predicate<'c>],
    ) -> Emitted<()> {
        let mut operands = vec![source, target];
        operands.extend(predicates.iter().map(|predicate| predicate.view));
        let at_run_time = |predicate: &Predicate<'c>| match predicate.limit {
            Limit::Known(_) => None,
            Limit::At(value) => Some(value),
        };
        operands.extend(predicates.iter().filter_map(at_run_time));
        let limits: Vec<i64> = predicates
            .iter()
            .map(|predicate| predicate.limit.known().unwrap_or(Limit::DYNAMIC))
            .collect();
        let limits = DenseI64ArrayAttribute::new(self.b.context(), &limits).into();
        let mut attributes = vec![("atom", self.atom(atom)?), ("limits", limits)];
        attributes.extend(travel.multicast.map(|mode| ("multicast", self.b.i64_attribute(mode))));
        if travel.evict_first {
            attributes.push(("evict_first", self.attribute("unit")?));
        }
        attributes.extend(travel.no_zfill.map(|number| ("no_zfill", self.b.i64_attribute(number))));
        self.b.operation("layout.copy", &operands, &[], &attributes, vec![])?;
        Ok(())
    }

    /// Makes one group of the copies that were started.
    pub(crate) fn commit_copies(&self) -> Emitted<()> {
        self.b.operation("nvvm.cp.async.commit.group", &[], &[], &[], vec![])?;
        Ok(())
    }

    /// Waits until at most `pending` groups of copies are in flight, then for the whole block.
    pub(crate) fn wait_for_copies(&self, pending: i64) -> Emitted<()> {
        let n = self.attribute(&format!("{pending} : i32"))?;
        self.b.operation("nvvm.cp.async.wait.group", &[], &[], &[("n", n)], vec![])?;
        self.b.operation("gpu.barrier", &[], &[], &[], vec![])?;
        Ok(())
    }

    /// An algebra operation on a view, with a term.
    pub(crate) fn algebra(&self, name: &str, view: Val<'c>, term: &str) -> Emitted<Val<'c>> {
        let term = self.attribute(&format!("#layout<{term}>"))?;
        Ok(first_result(self.b.inferred(name, &[view], &[("term", term)])?))
    }

    /// Fixes the coordinates that the pattern writes as `?` or as integers.
    pub(crate) fn slice(
        &self,
        view: Val<'c>,
        pattern: &str,
        coordinates: &[Val<'c>],
    ) -> Emitted<Val<'c>> {
        let mut operands = vec![view];
        operands.extend_from_slice(coordinates);
        let pattern = self.b.string(pattern);
        Ok(first_result(self.b.inferred("layout.slice", &operands, &[("coord", pattern)])?))
    }

    pub(crate) fn idx2crd(
        &self,
        index: Val<'c>,
        shape: &str,
    ) -> Emitted<melior::ir::OperationRef<'c, 'c>> {
        let shape = self.attribute(&format!("#layout<{shape}>"))?;
        self.b.inferred("layout.idx2crd", &[index], &[("shape", shape)])
    }

    /// A layout value.
    pub(crate) fn layout(&self, layout: &str) -> Emitted<Val<'c>> {
        let term = self.attribute(&format!("#layout<{layout}>"))?;
        Ok(first_result(self.b.inferred("layout.constant", &[], &[("term", term)])?))
    }

    /// A layout value at a coordinate.
    pub(crate) fn crd2idx(
        &self,
        layout: Val<'c>,
        pattern: &str,
        coordinates: &[Val<'c>],
    ) -> Emitted<Val<'c>> {
        let mut operands = vec![layout];
        operands.extend_from_slice(coordinates);
        let attributes = [("coord", self.b.string(pattern))];
        self.b.value("layout.crd2idx", &operands, Type::index(self.b.context()), &attributes)
    }

    pub(crate) fn hardware_index(&self, name: &str, dimension: &str) -> Emitted<Val<'c>> {
        let dimension = self.attribute(&format!("#gpu<dim {dimension}>"))?;
        self.b.value(name, &[], Type::index(self.b.context()), &[("dimension", dimension)])
    }

    /// A compact, column-major register buffer.
    pub(crate) fn registers(&self, element: &str, shape: &[i64]) -> Emitted<Val<'c>> {
        let mut strides = Vec::with_capacity(shape.len());
        let mut stride = 1;
        for &extent in shape {
            strides.push(stride);
            stride *= extent;
        }
        self.alloc(element, "register", &format!("({}):({})", join(shape), join(&strides)))
    }

    pub(crate) fn alloc(&self, element: &str, space: &str, layout: &str) -> Emitted<Val<'c>> {
        let r#type = self.parse(&format!("!layout.view<{element}, {space}, {layout}>"))?;
        self.b.value("layout.alloc", &[], r#type, &[])
    }

    /// One element of a view of floats in f32.
    pub(crate) fn element(&self, view: Val<'c>, index: i64) -> Emitted<Val<'c>> {
        let coordinate = [("coord", self.b.string(&index.to_string()))];
        let element = self.parse(&element_type_text(view))?;
        self.b.value("layout.load", &[view], element, &coordinate)
    }

    /// Sets one element of a view.
    pub(crate) fn set_element(&self, value: Val<'c>, view: Val<'c>, index: i64) -> Emitted<()> {
        let coordinate = [("coord", self.b.string(&index.to_string()))];
        self.b.operation("layout.store", &[value, view], &[], &coordinate, vec![])?;
        Ok(())
    }

    /// Zero of a type of accumulators.
    pub(crate) fn zero(&self, element: &str) -> Emitted<Val<'c>> {
        let r#type = self.parse(element)?;
        if element.starts_with('i') {
            return self.b.constant(r#type, 0);
        }
        let zero = FloatAttribute::new(self.b.context(), r#type, 0.0).into();
        self.b.value("arith.constant", &[], r#type, &[("value", zero)])
    }

    pub(crate) fn atom(&self, name: &str) -> Emitted<Attribute<'c>> {
        self.attribute(&format!("#layout.atom<{name}>"))
    }

    pub(crate) fn attribute(&self, text: &str) -> Emitted<Attribute<'c>> {
        Attribute::parse(self.b.context(), text)
            .ok_or_else(|| melior::Error::AttributeParse(text.to_owned()))
    }

    pub(crate) fn parse(&self, text: &str) -> Emitted<Type<'c>> {
        Type::parse(self.b.context(), text)
            .ok_or_else(|| melior::Error::TypeExpected("view", text.to_owned()))
    }
}

fn join(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

/// An element type as text.
pub(crate) fn element_type_text(view: Val<'_>) -> String {
    layout_dialect::ViewType::try_from(view.r#type())
        .map(|view| view.element_type().to_string())
        .unwrap_or_default()
}
