//! Lines of text with their indentation and the source line each one comes from.

use crate::source::{SourceMap, Span};

/// Text under construction.
pub struct Writer<'m> {
    map: &'m SourceMap,
    text: String,
    lines: Vec<Option<(u32, u32)>>,
    indent: usize,
    at: Option<(u32, u32)>,
}

impl<'m> Writer<'m> {
    /// Writes nothing yet; spans are looked up in `map`.
    pub fn new(map: &'m SourceMap) -> Self {
        Self { map, text: String::new(), lines: Vec::new(), indent: 0, at: None }
    }

    /// The lines that follow come from `span`.
    pub fn at(&mut self, span: Span) {
        let site = self.map.call_site(span);
        // An empty span is a node that a pass made: it keeps the place of what stands around it.
        if site.end > site.start {
            self.at = self.map.file(site).map(|file| (site.file, file.line_column(site.start).0));
        }
    }

    /// The lines that follow come from nowhere.
    pub fn at_none(&mut self) {
        self.at = None;
    }

    /// One line; an empty one carries no indentation.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n("    ", self.indent));
            self.text.push_str(line);
        }
        self.text.push('\n');
        self.lines.push(if line.is_empty() { None } else { self.at });
    }

    /// One line at the left margin.
    pub fn margin(&mut self, line: impl AsRef<str>) {
        let indent = std::mem::take(&mut self.indent);
        self.line(line);
        self.indent = indent;
    }

    /// A line that opens a block.
    pub fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.indent += 1;
    }

    /// A line that closes a block.
    pub fn close(&mut self, line: impl AsRef<str>) {
        self.indent -= 1;
        self.line(line);
    }

    /// A line that closes a block and opens the next: `} else {`.
    pub fn reopen(&mut self, line: impl AsRef<str>) {
        self.close(line);
        self.indent += 1;
    }

    /// Lines that stand one level deeper.
    pub fn indented(&mut self, lines: impl FnOnce(&mut Self)) {
        self.indent += 1;
        lines(self);
        self.indent -= 1;
    }

    /// Appends what another writer has written.
    pub fn append(&mut self, other: Writer<'_>) {
        self.text.push_str(&other.text);
        self.lines.extend(other.lines);
    }

    /// The text, and for each line the file and 1-based line of the source.
    pub fn finish(self) -> (String, Vec<Option<(u32, u32)>>) {
        (self.text, self.lines)
    }
}
