//! What stands between the parentheses of `okl!`.

/// A path, and macros to define.
#[derive(Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) path: String,
    pub(crate) defines: Vec<(String, String)>,
}

const USAGE: &str = "okl! is written okl!(\"kernels/file.okl\"), or okl!(\"kernels/file.okl\", NAME = value, …)";

impl Call {
    /// Reads the macro's input, which Rust has cut into tokens and joined again.
    pub(crate) fn parse(input: &str) -> Result<Self, String> {
        let mut parts = split(input).into_iter();
        let path = parts.next().and_then(|part| string(part.trim())).ok_or(USAGE)?;
        let mut defines = Vec::new();
        for part in parts.filter(|part| !part.trim().is_empty()) {
            let (name, value) = part.split_once('=').ok_or(USAGE)?;
            let value = value.trim();
            defines.push((name.trim().to_owned(), string(value).unwrap_or_else(|| value.to_owned())));
        }
        Ok(Self { path, defines })
    }
}

/// At the commas that stand in no string.
fn split(input: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut in_string, mut escaped) = (false, false);
    for c in input.chars() {
        if c == ',' && !in_string {
            parts.push(String::new());
            continue;
        }
        in_string ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

/// The value of a string literal without escapes but of `\` and `"`.
fn string(literal: &str) -> Option<String> {
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    Some(inner.replace("\\\"", "\"").replace("\\\\", "\\"))
}

#[cfg(test)]
mod tests {
    use super::Call;

    #[test]
    fn a_call_is_a_path_and_defines() {
        let call = Call::parse(r#""a,b.okl", T = "unsigned int", N = 7, "#).unwrap();
        assert_eq!(call.path, "a,b.okl");
        let defines = [("T", "unsigned int"), ("N", "7")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(call.defines, defines);
        for wrong in ["", "path", r#""a.okl", N"#] {
            assert!(Call::parse(wrong).unwrap_err().starts_with("okl! is written"), "{wrong}");
        }
    }
}
