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

/// Names between backquotes with commas, or `none`.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { "none".to_string() } else { quoted.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

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
