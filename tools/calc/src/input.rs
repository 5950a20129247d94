//! Lines of standard input, of which one that is too long is read to its end and not kept.

use std::io::{self, BufRead, BufReader, Read};

use crate::session::LINE_LIMIT;

/// Reads lines, as bytes.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(1 << 16, reader), line: Vec::new() }
    }

    /// Whether reading on may wait for whoever writes: then answers should be flushed.
    pub(crate) fn may_wait(&self) -> bool {
        self.reader.buffer().is_empty()
    }

    /// The next line without its end, cut at [`LINE_LIMIT`], and its whole length.
    pub(crate) fn next(&mut self) -> io::Result<Option<(&[u8], usize)>> {
        self.line.clear();
        let mut length = 0;
        let mut any = false;
        loop {
            let available = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if available.is_empty() {
                return Ok(any.then_some((&self.line, length)));
            }
            any = true;
            let end = available.iter().position(|&byte| byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            let room = LINE_LIMIT.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            length += part.len();
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                return Ok(Some((&self.line, length)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<(Vec<u8>, usize)> {
        let mut lines = Lines::new(text);
        let mut found = Vec::new();
        while let Some((line, length)) = lines.next().unwrap() {
            found.push((line.to_vec(), length));
        }
        found
    }

    #[test]
    fn the_last_line_needs_no_end() {
        let one = |text: &[u8]| (text.to_vec(), text.len());
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"a\n\nb"), [one(b"a"), one(b""), one(b"b")]);
        assert_eq!(lines(b"a\nb\n"), [one(b"a"), one(b"b")]);
    }

    #[test]
    fn a_long_line_is_counted_but_not_kept() {
        let mut text = vec![b'1'; 3 * LINE_LIMIT];
        text.extend_from_slice(b"\n2\n");
        let found = lines(&text);
        assert_eq!((found[0].0.len(), found[0].1), (LINE_LIMIT, 3 * LINE_LIMIT));
        assert_eq!(found[1], (b"2".to_vec(), 1));
    }
}
