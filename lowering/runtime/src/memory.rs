//! The memory of this machine: whether it suffices for a kernel's operands, before they are allocated.

use std::fs;

use crate::{Error, Result};

/// Checks that the memory that is free suffices for `bytes`, where the system states it.
///
/// # Errors
///
/// [`Error::Manifest`] for more; `what` names what the bytes are for.
pub fn check(what: &str, bytes: u64) -> Result<()> {
    match fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(available) {
        Some(available) if bytes > available => Err(Error::Manifest(format!(
            "expected {what} to take at most {available} bytes, the memory that is free, found {bytes}"
        ))),
        _ => Ok(()),
    }
}

/// Copies of a value.
///
/// # Errors
///
/// [`Error::Manifest`] if the system refuses the memory; `what` names what it is for.
pub fn filled<T: Clone>(what: &str, value: T, count: usize) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(count).map_err(|error| {
        let bytes = count.saturating_mul(size_of::<T>());
        Error::Manifest(format!("expected memory of {bytes} bytes for {what}, found none: {error}"))
    })?;
    all.resize(count, value);
    Ok(all)
}

/// The bytes that Linux can give without swapping, from the text of its `/proc/meminfo`.
fn available(text: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_free_memory_is_that_of_the_system() {
        let text = "MemTotal:       24576000 kB\nMemAvailable:   20480000 kB\nSwapTotal: 0 kB\n";
        assert_eq!(available(text), Some(20_480_000 * 1024));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
        assert!(check("a byte", 1).is_ok());
    }

    #[test]
    fn memory_that_no_system_has_is_an_error() {
        assert_eq!(filled("operands", 7_u8, 3).unwrap(), [7; 3]);
        let error = filled("operands", 0_u8, usize::MAX).unwrap_err().to_string();
        let expected =
            "manifest: expected memory of 18446744073709551615 bytes for operands, found none: ";
        assert!(error.starts_with(expected), "{error}");
    }
}
