//! Waits with a limit, for drivers that only know waits without one.

use crate::Result;
use std::thread;
use std::time::{Duration, Instant};

/// How long a wait keeps its core. Systems sleep some 60 µs longer than they are told, which is a sixteenth of this.
const SPIN: Duration = Duration::from_millis(1);

/// Asks until the answer is yes, for about `limit` at most; answers the last answer. The longer it takes, the less often it
/// asks: a wait is found to be over by a sixteenth, or 1 ms, too late.
/// # Errors
/// Those of `is_done`.
pub fn poll_until(limit: Duration, mut is_done: impl FnMut() -> Result<bool>) -> Result<bool> {
    let start = Instant::now();
    while !is_done()? {
        let waited = start.elapsed();
        if waited >= limit {
            return Ok(false);
        }
        match waited < SPIN {
            true => thread::yield_now(),
            false => thread::sleep((waited / 16).min(Duration::from_millis(1)).min(limit - waited)),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_until_yes_or_the_limit() {
        let mut left = 5;
        let mut countdown = || {
            left -= 1;
            Ok(left == 0)
        };
        assert_eq!((poll_until(Duration::MAX, &mut countdown).ok(), left), (Some(true), 0));
        let (start, limit) = (Instant::now(), Duration::from_millis(5));
        assert_eq!(poll_until(limit, || Ok(false)).ok(), Some(false));
        assert!(start.elapsed() >= limit);
        assert!(poll_until(limit, || Err(crate::Error::invalid("it failed"))).is_err());
    }
}
