use ferrocca::Result;
pub(crate) fn clear(_yes: bool) -> Result<String> {
    Err(ferrocca::Error::unsupported(
        "this command",
        "it is being written",
    ))
}
