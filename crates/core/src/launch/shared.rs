//! Sizes of `@shared` arrays that the arguments of a launch decide.

use super::{LaunchPlan, Numbers, Sizes};
use crate::arguments::Arg;
use crate::device::DeviceInner;
use crate::{Error, ErrorKind, Result};
use okl::signature::{HostError, HostPart, SharedSize, evaluate};
use okl::value::ScalarValue;
use smallvec::SmallVec;
use std::sync::Arc;

impl LaunchPlan {
    /// The sizes that these arguments ask for, where the kernel is built for others.
    /// # Errors
    /// As those of a launch.
    pub(crate) fn sizes_for(&self, device: &Arc<DeviceInner>, arguments: &[Arg<'_>]) -> Result<Option<Sizes>> {
        if self.signature.sizes.is_empty() {
            return Ok(None);
        }
        let mut numbers = Numbers::new(arguments);
        self.check(device, &mut numbers)?;
        self.other_sizes(&numbers)
    }

    /// The same for arguments that were checked.
    #[inline]
    pub(super) fn other_sizes(&self, numbers: &Numbers<'_>) -> Result<Option<Sizes>> {
        match self.signature.sizes.as_slice() {
            [] => Ok(None),
            sizes => self.asked(sizes, numbers),
        }
    }

    fn asked(&self, sizes: &[SharedSize], numbers: &Numbers<'_>) -> Result<Option<Sizes>> {
        let mut asked = Sizes::new();
        for size in sizes {
            let value = evaluate(&size.value, numbers, &[])
                .map_err(|trap| self.host_error(HostError::Arithmetic(HostPart::SharedSize, trap), numbers))?;
            let value = value.integer().unwrap_or(0);
            match u32::try_from(value) {
                Ok(value) if value > 0 => asked.push(value),
                _ if self.launches_nothing(numbers)? => return Ok(None),
                _ => {
                    let message = format!("`@shared` array `{}` would have {value} elements along an axis", size.array);
                    return Err(Error::new(ErrorKind::Argument { kernel: self.signature.kernel.clone(), message }));
                }
            }
        }
        let is_built = asked.iter().zip(sizes).all(|(&asked, size)| asked == size.built);
        Ok((!is_built).then_some(asked))
    }

    /// Whether the host part comes to its end without a launch.
    fn launches_nothing(&self, numbers: &Numbers<'_>) -> Result<bool> {
        let mut slots: SmallVec<[ScalarValue; super::INLINE]> =
            SmallVec::from_elem(ScalarValue::Bool(false), self.signature.slots.len());
        let mut launches = 0;
        self.run_host(numbers, &mut slots, &mut |_| {
            launches += 1;
            Ok(())
        })?;
        Ok(launches == 0)
    }
}
