//! "Did you mean …?": the nearest of the known names, for errors about unknown ones.

/// The known name that is most like `name`, if one is near enough to be what was meant.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let limit = (wanted.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// ` (did you mean `x`?)` or nothing.
pub(crate) fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|found| format!(" (did you mean `{found}`?)")).unwrap_or_default()
}

/// The pair `name=…` or `name: …` that stands behind a blank in a value without quotes: a comma is missing before it.
pub(crate) fn pair_in(value: &str) -> Option<&str> {
    let starts = value.char_indices().filter(|&(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8());
    starts.map(|start| &value[start..]).find(|rest| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/'))).unwrap_or(rest.len());
        let starts_a_name = rest.starts_with(|c: char| c.is_alphabetic());
        starts_a_name && rest[end..].trim_start().starts_with(['=', ':'])
    })
}

/// `; a comma is missing before `threads=2`` or nothing.
pub(crate) fn missing_comma(value: &str) -> String {
    pair_in(value).map(|pair| format!("; a comma is missing before `{pair}`")).unwrap_or_default()
}

/// Names between backquotes with commas, or `none`.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { "none".to_string() } else { quoted.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_within_a_value_is_one_that_lacks_its_comma() {
        let cases = [
            ("CPU threads=2", Some("threads=2")),
            ("CPU  threads : 2", Some("threads : 2")),
            ("off kernel/checks=all", Some("kernel/checks=all")),
            ("-O3 -march=native", None),
            ("two words", None),
            ("a = b", None),
            ("CPU", None),
        ];
        for (value, expected) in cases {
            assert_eq!(pair_in(value), expected, "{value}");
        }
    }

    #[test]
    fn nearest_name() {
        let known = ["threads", "compiler", "mode"];
        let cases = [
            ("thread", Some("threads")),
            ("compielr", Some("compiler")),
            ("MODE", Some("mode")),
            ("x", None),
            ("device", None),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
