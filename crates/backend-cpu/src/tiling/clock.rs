//! The time that a trial takes.

use std::time::{Duration, Instant};

/// Measures work of the calling thread, or of several.
pub(crate) struct Clock {
    start: Instant,
    /// The calling thread's processor time, which does not run while another process has the core.
    own: Option<Duration>,
}

impl Clock {
    /// Starts. `alone`: the calling thread does all the work.
    pub(crate) fn start(alone: bool) -> Self {
        Self { start: Instant::now(), own: alone.then(thread_time).flatten() }
    }

    /// Since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        let own = self.own.zip(thread_time()).map(|(start, now)| now.saturating_sub(start));
        own.unwrap_or_else(|| self.start.elapsed())
    }
}

#[cfg(unix)]
fn thread_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(unix))]
fn thread_time() -> Option<Duration> {
    None
}
