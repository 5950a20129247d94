//! Convolutions whose operand is read as an image: Hopper's copy engine computes the im2col matrix, and the zeros around the image
//! need no memory.
//!
//! | operand | becomes |
//! |---|---|
//! | A at `(n, p * stride + r * dilation, q * stride + s * dilation, c)`, in any order of the loops | the image `(C,W,H,N)` and its window |
//! | `tensor.pad` of zeros along width and height, with known sizes | the tensor that it pads, and the window's padding |
//!
//! Others stay matrices with modes of several loops: images whose channels are not in a row or no whole rows of a swizzle, groups, a width or height known at run time,
//! types without tensor cores of 16 bits, chips without the mode, and memrefs. A window of one tap that moves by one is
//! a matrix anyhow.

use super::{
    contraction::{Contraction, buffer},
    numbers::is_half,
    reshape::parsed,
    views,
};
use layout_algebra::Layout;
use layout_dialect::{
    Space,
    affine::IndexingMap,
    atoms::im2col::Window,
    buffers::Strides,
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::{
    Context,
    ir::{
        Attribute, OperationRef, Type,
        attribute::{DenseI64ArrayAttribute, FloatAttribute},
        operation::OperationLike,
    },
};

/// The chip whose copy engine and warpgroups compute such convolutions.
const CHIP: &str = "sm_90a";

/// Channels of a row of a tile: a swizzle of 128 bytes.
const CHANNELS: i64 = 64;

/// The image of a convolution.
pub(crate) struct Image<'c> {
    /// The tensor, without padding.
    tensor: Val<'c>,
    /// `(C,W,H,N)`; of a number of images known at run time, those of one.
    layout: Layout,
    /// The tensor's dimension whose size is the number of images, where that is known at run time.
    images: Option<usize>,
    window: Window,
    /// The padding that nothing may need any more.
    padding: Option<OperationRef<'c, 'c>>,
}

/// How a coordinate of A is walked: the loop over results and the one over taps, with stride and dilation.
struct WindowCoord {
    place: usize,
    results: (usize, i64),
    taps: (usize, i64),
}

impl<'c> Image<'c> {
    /// The image of a contraction that is a convolution, whose loops of M and K become those of the image's matrix, in its
    /// order.
    pub(crate) fn of(contraction: &mut Contraction<'c>, chip: &str) -> Option<Self> {
        let dimensions = &contraction.dimensions;
        if chip != CHIP || !dimensions.batch.is_empty() || contraction.operation.result_count() != 1
        {
            return None;
        }
        let a = contraction.operands[0];
        if !is_half(buffer(a).ok()?.element_type()) {
            return None;
        }
        let (tensor, zeros, padding) = padded(a)?;
        let found = buffer(tensor).ok()?;
        // A number of images is known at run time where it is no part of a stride.
        let extents = found.extents();
        let open: Vec<usize> = (0..extents.len()).filter(|&i| extents[i].is_none()).collect();
        let extents: Vec<i64> = extents.into_iter().map(|extent| extent.unwrap_or(1)).collect();
        let strides: Vec<i64> = match found.strides().ok()? {
            Strides::Each(strides) => strides.into_iter().collect::<Option<_>>()?,
            Strides::Rows if matches!(open.as_slice(), [] | [0]) => rows(&extents)?,
            Strides::Rows => return None,
        };
        found.space().ok().filter(|space| matches!(space, Space::Host | Space::Global))?;

        let places = Places::of(&contraction.maps[0], &strides, dimensions)?;
        let at_run_time = match (open.as_slice(), &places.images) {
            ([], _) => None,
            (&[place], Some(images)) if images.0 == place => Some(place),
            _ => return None,
        };
        let size = |d: usize| extent_of(contraction, d);
        let Places { channels, images, width, height } = &places;
        let at =
            |place: Option<usize>| place.map_or((1, 0), |place| (extents[place], strides[place]));
        let all = [
            at(Some(channels.0)),
            at(Some(width.place)),
            at(Some(height.place)),
            at(images.map(|one| one.0)),
        ];
        // The padding is along width and height alone.
        let outside =
            (0..extents.len()).filter(|&place| place != width.place && place != height.place);
        outside.into_iter().all(|place| zeros[place] == 0).then_some(())?;
        let both = |of: &dyn Fn(&WindowCoord) -> i64| [of(width), of(height)];
        let sizes = |walk: &WindowCoord| Some((size(walk.results.0)?, size(walk.taps.0)?));
        let (of_width, of_height) = (sizes(width)?, sizes(height)?);
        let window = Window {
            results: [of_width.0, of_height.0],
            taps: [of_width.1, of_height.1],
            strides: both(&|walk| walk.results.1),
            dilations: both(&|walk| walk.taps.1),
            padding: both(&|walk| zeros[walk.place]),
        };
        let trivial = [window.taps, window.strides] == [[1; 2]; 2] && window.padding == [0; 2];
        let text = |of: &dyn Fn(&(i64, i64)) -> i64| {
            all.iter().map(|leaf| of(leaf).to_string()).collect::<Vec<_>>().join(",")
        };
        let single = |leaf: &(i64, i64)| {
            if leaf.1 == 0 { all[2].0.saturating_mul(all[2].1) } else { leaf.1 }
        };
        let layout: Layout =
            format!("({}):({})", text(&|leaf| leaf.0), text(&single)).parse().ok()?;
        // Rows of a tile as the schedules have them at most.
        window.map(&layout, 2, (256, CHANNELS)).ok().filter(|_| !trivial)?;
        let m = [width.results.0, height.results.0].into_iter().chain(images.map(|one| one.1));
        contraction.dimensions.m = m.collect();
        contraction.dimensions.k = vec![channels.1, width.taps.0, height.taps.0];
        Some(Self { tensor, layout, images: at_run_time, window, padding })
    }

    /// The view of the image.
    pub(crate) fn emit(&self, b: &Builder<'c>) -> Result<Val<'c>, melior::Error> {
        let memref = views::on_device(b, views::read_part(b, self.tensor)?)?;
        let r#type = |text: String| {
            let read = Type::parse(b.context(), &format!("!layout<{text}>"));
            read.ok_or(melior::Error::TypeExpected("layout", text))
        };
        let layout = match self.images {
            None => {
                let term = parsed(b, &format!("#layout<{}>", self.layout))?;
                let r#type = r#type(self.layout.to_string())?;
                b.value("layout.constant", &[], r#type, &[("term", term)])?
            }
            Some(place) => {
                let index = Type::index(b.context());
                let at = [memref, b.constant(index, place as i64)?];
                let images = b.value("memref.dim", &at, index, &[])?;
                let images = b.value("arith.index_cast", &[images], b.integer(64), &[])?;
                let sizes: Vec<i64> = self.layout.modes().iter().map(Layout::size).collect();
                let [channels, width, height] = [0, 1, 2].map(|mode| sizes[mode]);
                let stride = self.layout.stride();
                let text = format!("({channels},{width},{height},?{{i64}}):{stride}");
                b.value("layout.make", &[images], r#type(text)?, &[])?
            }
        };
        Ok(first_result(b.inferred("layout.make_view", &[memref, layout], &[])?))
    }

    /// The window as the matmul has it.
    pub(crate) fn window(&self, context: &'c Context) -> Attribute<'c> {
        DenseI64ArrayAttribute::new(context, &self.window.numbers()).into()
    }

    /// The padding, where nothing reads it.
    pub(crate) fn idle(&self) -> Option<OperationRef<'c, 'c>> {
        self.padding.filter(|padding| tree::user(*padding).is_none())
    }
}

/// Which coordinates of A are channels, images, width and height, and the loops that they are.
struct Places {
    /// A place, and a loop.
    channels: (usize, usize),
    images: Option<(usize, usize)>,
    width: WindowCoord,
    height: WindowCoord,
}

impl Places {
    fn of(
        map: &IndexingMap,
        strides: &[i64],
        dimensions: &super::contraction::Dimensions,
    ) -> Option<Self> {
        let (m, k) = (&dimensions.m, &dimensions.k);
        let (mut channels, mut images, mut walks) = (None, None, Vec::new());
        for (place, result) in map.results.iter().enumerate() {
            if result.constant != 0 {
                return None;
            }
            match *result.terms.as_slice() {
                [(d, 1)] if k.contains(&d) && strides[place] == 1 && channels.is_none() => {
                    channels = Some((place, d));
                }
                [(d, 1)] if m.contains(&d) && images.is_none() => images = Some((place, d)),
                [one, other] => {
                    let (results, taps) =
                        if m.contains(&one.0) { (one, other) } else { (other, one) };
                    let is_walk = m.contains(&results.0) && k.contains(&taps.0);
                    (is_walk && results.1 > 0 && taps.1 > 0).then_some(())?;
                    walks.push(WindowCoord { place, results, taps });
                }
                _ => return None,
            }
        }
        // The width has the smaller stride.
        walks.sort_by_key(|walk| strides[walk.place]);
        let [width, height] = <[WindowCoord; 2]>::try_from(walks).ok()?;
        let own = Self { channels: channels?, images, width, height };
        let count = 2 + usize::from(own.images.is_some());
        (m.len() == count && k.len() == 3).then_some(own)
    }
}

/// The strides of rows without gaps.
fn rows(extents: &[i64]) -> Option<Vec<i64>> {
    let mut strides = vec![1; extents.len()];
    for place in (1..extents.len()).rev() {
        strides[place - 1] = i64::checked_mul(strides[place], extents[place])?;
    }
    Some(strides)
}

/// The size of a loop, where it is known.
fn extent_of(contraction: &Contraction<'_>, d: usize) -> Option<i64> {
    let operands = contraction.operands.iter().zip(&contraction.maps);
    operands.into_iter().find_map(|(&operand, map)| {
        let place = map.results.iter().position(|result| result.dimension() == Some(d))?;
        buffer(operand).ok()?.extents().get(place).copied().flatten()
    })
}

/// The tensor that another one pads with zeros of known number, and how many there are in front of each dimension; else the tensor itself.
fn padded<'c>(tensor: Val<'c>) -> Option<(Val<'c>, Vec<i64>, Option<OperationRef<'c, 'c>>)> {
    let rank = buffer(tensor).ok()?.rank();
    let as_it_is = || Some((tensor, vec![0; rank], None));
    let Some(padding) = tree::definition(tensor).filter(|made| tree::name(*made) == "tensor.pad")
    else {
        return as_it_is();
    };
    let low = DenseI64ArrayAttribute::try_from(padding.attribute("static_low").ok()?).ok()?;
    let low: Vec<i64> = (0..low.len()).map(|i| low.element(i).ok()).collect::<Option<_>>()?;
    if low.iter().any(|&zeros| zeros < 0) || !pads_with_zeros(padding) {
        return as_it_is();
    }
    Some((operand(padding, 0), low, Some(padding)))
}

/// Whether padding is the constant 0 everywhere.
fn pads_with_zeros(padding: OperationRef<'_, '_>) -> bool {
    let Some(last) = tree::entry(padding).and_then(|body| tree::operations(body).pop()) else {
        return false;
    };
    let Some(made) = tree::definition(operand(last, 0)) else { return false };
    let value = made.attribute("value").ok().and_then(|value| FloatAttribute::try_from(value).ok());
    tree::name(made) == "arith.constant" && value.is_some_and(|value| value.value() == 0.0)
}
