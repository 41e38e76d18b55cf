//! Source files, spans and the macro expansions that spans point into.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A stretch of one source file, and the macro expansion that brought it there (if any).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Index into [`SourceMap::files`].
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// 0: written in the file as it stands; `n`: produced by expansion `n - 1` of [`SourceMap::expansions`].
    pub expansion: u32,
}

impl Span {
    /// The smallest span that covers both; `self` alone where they lie in different files or expansions.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file || self.expansion != other.expansion {
            return self;
        }
        Span { start: self.start.min(other.start), end: self.end.max(other.end), ..self }
    }
}

/// One file (or a synthetic one, such as the defines given by props).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// Name as the user knows it: a path, or `<string>`, `<property defines>`.
    pub name: String,
    /// Whole text.
    pub text: String,
    /// Byte offset at which each line starts.
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// 1-based line and column (columns count characters) of a byte offset.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_starts.partition_point(|&start| start <= offset).max(1) - 1;
        let start = self.line_starts.get(line).copied().unwrap_or(0) as usize;
        let end = (offset as usize).clamp(start, self.text.len());
        let column = self.text.get(start..end).map_or(end - start, |s| s.chars().count());
        (line as u32 + 1, column as u32 + 1)
    }

    /// Text of a 1-based line, without its line end; empty where there is none.
    pub fn line(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        let Some(&start) = self.line_starts.get(index) else {
            return "";
        };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&e| e as usize);
        self.text.get(start as usize..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }
}

/// One expansion of a macro: where it was called and what its definition is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Expansion {
    /// Name of the macro.
    pub name: String,
    /// Where the macro is invoked (may itself lie in an expansion).
    pub call: Span,
    /// Where it is defined.
    pub definition: Span,
}

/// Owns every file and every macro expansion of one compilation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SourceMap {
    /// Files in the order in which they were opened; 0 is the kernel file.
    pub files: Vec<SourceFile>,
    /// Macro expansions, addressed by [`Span::expansion`] minus one.
    pub expansions: Vec<Expansion>,
}

impl SourceMap {
    /// Adds a file and returns its index.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1));
        self.files.push(SourceFile { name: name.into(), text, line_starts });
        self.files.len() as u32 - 1
    }

    /// The file a span lies in.
    pub fn file(&self, span: Span) -> Option<&SourceFile> {
        self.files.get(span.file as usize)
    }

    /// The text a span covers.
    pub fn text(&self, span: Span) -> &str {
        let range: Range<usize> = span.start as usize..span.end as usize;
        self.file(span).and_then(|f| f.text.get(range)).unwrap_or("")
    }

    /// The place in a file where a span was, in the end, written by the user: the outermost macro call.
    pub fn call_site(&self, mut span: Span) -> Span {
        while let Some(expansion) = span.expansion.checked_sub(1).and_then(|e| self.expansions.get(e as usize)) {
            span = expansion.call;
        }
        span
    }
}
