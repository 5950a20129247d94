//! Hardware instructions, what they expect of layouts, and partitions of tiled copies and MMAs.

mod choice;
mod table;
mod tensor_map;
mod tiled;
