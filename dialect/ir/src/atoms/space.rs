//! Memory spaces.

use std::fmt;

/// Where a view's elements lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// The GPU's global memory.
    Global,
    /// A thread block's shared memory.
    Shared,
    /// A thread's registers.
    Register,
    /// Memory of the CPU.
    Host,
    /// No memory: an element is its own offset.
    Coordinate,
}

impl Space {
    /// All spaces.
    pub const ALL: [Self; 5] =
        [Self::Global, Self::Shared, Self::Register, Self::Host, Self::Coordinate];

    /// The name in `!layout.view<…>`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Register => "register",
            Self::Host => "host",
            Self::Coordinate => "coordinate",
        }
    }

    /// The space of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|space| space.name() == name)
    }

    /// Whether elements have addresses that an instruction may take: not registers, not `coordinate`.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Global | Self::Shared | Self::Host)
    }
}

impl Space {
    /// The space that pointers of LLVM's address space point to on NVIDIA's GPUs; 0 is the host's.
    pub fn from_address_space(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Host),
            1 => Some(Self::Global),
            3 => Some(Self::Shared),
            _ => None,
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
