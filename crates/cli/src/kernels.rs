use crate::options::Kernels;
use ferrocca::Result;
pub(crate) fn translate(_r: &Kernels) -> Result<String> {
    Err(ferrocca::Error::unsupported(
        "this command",
        "it is being written",
    ))
}
pub(crate) fn compile(_r: &Kernels) -> Result<String> {
    Err(ferrocca::Error::unsupported(
        "this command",
        "it is being written",
    ))
}
