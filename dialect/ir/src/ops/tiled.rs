//! Views by tiled copies and tiled MMAs: the division of `layout.partition` among threads, the steps
//! of `layout.retile`, and the registers of `layout.partition_fragment` and `layout.make_fragment_like`.

use crate::ops::prelude::*;
use crate::{
    atoms::tiled::{Operand, Partition, Retile, Side, TiledCopy, TiledMma},
    data::{
        attributes::{TiledCopyAttribute, TiledMmaAttribute},
        types::element_bytes,
    },
    ops::views::{element_type, view_operand},
};
use layout_algebra::Tiler;

/// How a source is divided among threads.
pub(crate) struct Division {
    /// The tiler that divides its modes first, where they are reordered.
    pub(crate) reorder: Option<Tiler>,
    /// The shape of the tile.
    pub(crate) tile: Tuple,
    /// A thread, or thread and value, to the tile's element.
    pub(crate) by: Layout,
    /// Whether it has a mode of values.
    pub(crate) has_values: bool,
}

impl From<Partition> for Division {
    fn from(partition: Partition) -> Self {
        let Partition { reorder, tile, thread_values } = partition;
        Self { reorder, tile, by: thread_values, has_values: true }
    }
}

/// The division by the attributes of a `layout.partition`.
pub(crate) fn division(adaptor: &Adaptor<'_>) -> Result<Division, Violation> {
    let Some(tiled) = adaptor.attribute("tiled") else { return threads(adaptor) };
    if let Some(attribute) = adaptor.attribute("term") {
        let expected = "a term or a tiled copy or MMA, and not both";
        return Err(Violation::new(Code::Operand, expected, attribute));
    }
    let part = tree::text(adaptor.required("part")?).unwrap_or_default();
    let place = || adaptor.place_of_attribute("part");
    if let Some(copy) = TiledCopyAttribute::from_attribute(tiled) {
        let side: Side = part.parse().map_err(|()| {
            let expected = "'source' or 'target' of a tiled copy";
            Violation::new(Code::Part, expected, &part).at(place())
        })?;
        let of_copy = copy.tiled()?.partition(side, bytes(adaptor));
        return Ok(of_copy.map_err(|refused| refused.at(place_of_tiled(adaptor)))?.into());
    }
    if let Some(mma) = TiledMmaAttribute::from_attribute(tiled) {
        let operand: Operand = part.parse().map_err(|()| {
            let expected = "'a', 'b' or 'c' of a tiled MMA";
            Violation::new(Code::Part, expected, &part).at(place())
        })?;
        return Ok(mma.tiled()?.partition(operand)?.into());
    }
    let expected = "a tiled copy or a tiled MMA";
    Err(Violation::new(Code::Operand, expected, tiled).at(place_of_tiled(adaptor)))
}

/// The place of the tiled copy or MMA, or of what is in its place.
pub(crate) fn place_of_tiled(adaptor: &Adaptor<'_>) -> Option<Place> {
    let tiled = adaptor.attribute("tiled")?;
    let what = if TiledCopyAttribute::from_attribute(tiled).is_some() {
        "the tiled copy"
    } else if TiledMmaAttribute::from_attribute(tiled).is_some() {
        "the tiled MMA"
    } else {
        "the attributes"
    };
    Some(Place::whole(what, &tiled.to_string()))
}

/// Bytes of an element of the first operand, where it is a view of data.
fn bytes(adaptor: &Adaptor<'_>) -> Option<i64> {
    let view = ViewType::from_type(*adaptor.types.first()?)?;
    element_bytes(view.element_type()).filter(|_| view.space() != Space::Coordinate)
}

/// The shape of the tile that threads are laid out over, and where each thread is in it.
fn threads(adaptor: &Adaptor<'_>) -> Result<Division, Violation> {
    let term = adaptor
        .optional_term("term")?
        .ok_or_else(|| Violation::new(Code::Operand, "a layout of threads", "none"))?;
    let TermValue::Static(Value::Layout(layout)) = &term else {
        let place = adaptor.argument(Arg::Term("term"), &[]);
        return Err(Violation::new(Code::Kind, "a plain layout of threads", &term).at(place));
    };
    let inverse = layout.right_inverse()?;
    // Right-inverted as a whole, every thread has one place: none is left out, and none has two.
    if inverse.size() != layout.size() {
        let expected = format!("a layout that numbers the threads 0 to {}", layout.size() - 1);
        // The same extents in the same order, each thread once.
        let numbered = layout.make_layout_like().ok();
        let like =
            numbered.filter(|like| like.right_inverse().is_ok_and(|i| i.size() == like.size()));
        let place = adaptor.argument(Arg::Term("term"), &[]);
        return Err(Violation::new(Code::Threads, expected, layout)
            .hint_if(like.map(|like| format!("{like} does")))
            .at(place));
    }
    let shape = layout.modes().iter().map(|mode| Tuple::Leaf(mode.size())).collect();
    Ok(Division { reorder: None, tile: Tuple::Node(shape), by: inverse, has_values: false })
}

/// How the registers of a `layout.retile` are divided.
pub(crate) fn retile(adaptor: &Adaptor<'_>, source: &TermValue) -> Result<Retile, Violation> {
    let retile = copy_of(adaptor)?
        .retile(bytes(adaptor))
        .map_err(|refused| refused.at(place_of_tiled(adaptor)))?;
    let shape = shape_of(source)?;
    let sizes = mode_sizes(&shape)?;
    let tile = retile.tile.leaves();
    let fits = sizes.len() >= tile.len()
        && sizes.first() == Some(&Some(tile[0]))
        && tile.iter().zip(&sizes).all(|(tile, size)| size.is_some_and(|size| size % tile == 0));
    if fits {
        return Ok(retile);
    }
    let multiples: Vec<String> = tile[1..]
        .iter()
        .map(|&atoms| match atoms {
            1 => "any".to_owned(),
            atoms => format!("a multiple of {atoms}"),
        })
        .collect();
    let expected = format!(
        "a fragment of {} values, then modes of {} atoms",
        tile[0],
        multiples.join(" and ")
    );
    let place = adaptor.place_of(0, Part::Shape);
    Err(Violation::new(Code::Fragment, expected, shape).at(place))
}

fn copy_of<'c>(adaptor: &Adaptor<'c>) -> Result<&'c TiledCopy, Violation> {
    Ok(TiledCopyAttribute::try_from(adaptor.required("tiled")?)?.tiled()?)
}

fn mma_of<'c>(adaptor: &Adaptor<'c>) -> Result<&'c TiledMma, Violation> {
    Ok(TiledMmaAttribute::try_from(adaptor.required("tiled")?)?.tiled()?)
}

/// The type of a `layout.partition_fragment`: registers for an operand of a tile.
pub(crate) fn partition_fragment<'c>(adaptor: &Adaptor<'c>) -> Result<ViewType<'c>, Violation> {
    let mma = mma_of(adaptor)?;
    let part = tree::text(adaptor.required("part")?).unwrap_or_default();
    let operand: Operand = part.parse().map_err(|()| {
        let place = adaptor.place_of_attribute("part");
        Violation::new(Code::Part, "'a', 'b' or 'c' of a tiled MMA", &part).at(place)
    })?;
    let extents = adaptor.integers("extents")?;
    let place = || adaptor.place_of_attribute("extents");
    let [i, j] = operand.modes();
    let tile = [mma.extent(i), mma.extent(j)];
    if extents.len() != 2
        || extents.iter().zip(tile).any(|(&found, of)| found < 1 || found % of != 0)
    {
        let expected =
            format!("two extents of {operand}, multiples of the tile's ({},{})", tile[0], tile[1]);
        let found: Vec<String> = extents.iter().map(ToString::to_string).collect();
        return Err(
            Violation::new(Code::Fragment, expected, format!("({})", found.join(","))).at(place())
        );
    }
    let (element, space) = mma.element(operand)?;
    if space != Space::Register {
        let expected = format!("an operand that {} has in registers", mma.atom().name);
        return Err(Violation::new(
            Code::Fragment,
            expected,
            format!("{operand}, which it reads from shared memory"),
        )
        .hint("layout.mma takes the layout.partition of the view of shared memory"));
    }
    let element = Type::parse(adaptor.context, element)
        .ok_or_else(|| Violation::new(Code::ViewElement, "a type of elements", element))?;
    let whole = Layout::from_shape(Nested::Node(extents.into_iter().map(Nested::Leaf).collect()))?;
    let held = mma.partition(operand)?.of(&whole)?.get(&[1])?;
    let registers = Layout::from_shape(held.shape().clone())?;
    ViewType::of(element, Space::Register, &TermValue::Static(Value::Layout(registers)))
}

/// The type of a `layout.make_fragment_like`: registers of a view's shape.
pub(crate) fn make_fragment_like<'c>(adaptor: &Adaptor<'c>) -> Result<ViewType<'c>, Violation> {
    let view = view_operand(adaptor, 0)?;
    let element = match adaptor.attribute("element") {
        Some(attribute) => element_type(attribute)?,
        None => view.element_type(),
    };
    let term_value = view.term_value()?;
    let shape = shape_of(&term_value)?.try_map(&mut |extent: &Expr| {
        extent.as_constant().ok_or_else(|| {
            let place = adaptor.place_of(0, Part::Shape);
            Violation::new(Code::Fragment, "a view of a known shape", view.text()).at(place)
        })
    })?;
    let ordered = term_value.any_layout().and_then(|layout| ordered(layout.inner()).ok());
    let registers = match ordered {
        Some(layout) => layout,
        // Strides that are known at run time order nothing.
        None => Layout::from_shape(shape)?,
    };
    ViewType::of(element, Space::Register, &TermValue::Static(Value::Layout(registers)))
}

/// The first mode compact, and the others after it in the order of their strides.
fn ordered(layout: &Layout) -> Result<Layout, layout_algebra::Error> {
    let modes = layout.modes();
    let [first, rest @ ..] = modes.as_slice() else { return layout.make_layout_like() };
    if layout.is_leaf() || rest.is_empty() {
        return Layout::from_shape(layout.shape().clone());
    }
    let held = Layout::from_shape(first.shape().clone())?;
    let others = Layout::make_layout(rest)?;
    let order = [Value::Tuple(others.shape().clone()), Value::Tuple(others.stride().clone())];
    let Value::Layout(others) = Op::MakeOrderedLayout.apply(&order.iter().collect::<Vec<_>>())?
    else {
        return Layout::from_shape(layout.shape().clone());
    };
    let size = held.size();
    let mut made = vec![held];
    for mode in others.modes() {
        let stride = mode.stride().try_map(&mut |stride: &i64| {
            stride.checked_mul(size).ok_or(layout_algebra::Error::Overflow {
                operation: "make_fragment_like",
                operands: layout.to_string(),
            })
        })?;
        made.push(Layout::new(mode.shape().clone(), stride)?);
    }
    Layout::make_layout(&made)
}
