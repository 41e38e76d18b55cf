//! Parts of pages that a chore writes: what stands between two lines.

use crate::process::Result;
use std::fs;
use std::path::Path;

/// Puts something else between the line `begin` and the line `end` of a page, made of what stands there.
pub(crate) fn replace(page: &Path, begin: &str, end: &str, make: impl FnOnce(&str) -> String) -> Result {
    let failed = |error: std::io::Error| format!("{}: {error}", page.display());
    let text = fs::read_to_string(page).map_err(failed)?;
    let parts = text.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?)));
    let (before, (old, after)) = parts.ok_or(format!("{} has no place for a table: {begin}{end}", page.display()))?;
    fs::write(page, format!("{before}{begin}{}{end}{after}", make(old))).map_err(failed)
}
