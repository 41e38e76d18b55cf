//! Processes that fork. A child has its parent's memory, but none of its threads, and a driver that waits for one of these
//! waits for ever.

/// The process at the time when this was made, as far as forking goes. Asking it costs one load, where the number of the
/// process would cost a system call.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    forks: u32,
}

impl Process {
    /// The calling process.
    pub fn current() -> Self {
        Self { forks: forks::count() }
    }

    /// Whether the calling process is a child that `fork` has made since; one of system calls by hand is not noticed.
    #[inline]
    pub fn is_forked(self) -> bool {
        self.forks != forks::seen()
    }
}

#[cfg(unix)]
mod forks {
    use std::sync::Once;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// How often this process and its ancestors were forked off, from the first count on.
    static FORKS: AtomicU32 = AtomicU32::new(0);

    extern "C" fn in_child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count() -> u32 {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            // SAFETY: the function lives as long as this library, whose handlers the system forgets with it, and may run in
            // a child of many threads: it adds to an atomic. It fails where memory is exhausted, and nothing is noticed.
            unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        });
        seen()
    }

    #[inline]
    pub(super) fn seen() -> u32 {
        FORKS.load(Ordering::Relaxed)
    }
}

/// Other systems do not fork.
#[cfg(not(unix))]
mod forks {
    pub(super) fn count() -> u32 {
        0
    }

    pub(super) fn seen() -> u32 {
        0
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_noticed_by_what_is_older_than_it_alone() {
        let before = Process::current();
        assert!(!before.is_forked());
        // SAFETY: the child calls nothing but this module and `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let is_right = before.is_forked() && !Process::current().is_forked();
            // SAFETY: it ends the child.
            unsafe { libc::_exit(if is_right { 7 } else { 1 }) };
        }
        assert!(child > 0, "{}", std::io::Error::last_os_error());
        let mut status = 0;
        // SAFETY: the status lies on this stack.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(libc::WEXITSTATUS(status), 7);
        assert!(!before.is_forked(), "the parent is the same");
    }
}
