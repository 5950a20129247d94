//! Layouts of memrefs and of tensors' buffers, for upstream's passes.
//!
//! | pass | file | what it does |
//! |---|---|---|
//! | `layout-bufferize` | [`bufferize`] | tensors that a layout encodes become memrefs of that layout |
//! | `layout-expand-memrefs` | [`expand`] | a memref whose modes have several strides gets a dimension for each |
//!
//! Upstream's passes take memrefs whose dimensions have one stride each: subviews, tiling and `expand-strided-metadata` refuse
//! others. The second pass runs before them.

pub(crate) mod bufferize;
pub(crate) mod expand;
mod physical;
mod structured;

/// An error has been emitted as a diagnostic.
#[derive(Debug)]
pub(crate) struct Reported;

impl From<()> for Reported {
    fn from((): ()) -> Self {
        Self
    }
}
