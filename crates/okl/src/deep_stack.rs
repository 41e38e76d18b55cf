//! Stack enough to walk the deepest tree that the parser accepts.

/// Stack for the stages that walk trees, in bytes of address space; what is not touched costs nothing.
const DEEP_STACK: usize = 64 << 20;

/// Runs `work` where the deepest tree that the parser accepts can be walked, whatever stack the caller has left:
/// a sum of 250 terms takes 4 MiB in a debug build, and a thread has 2 MiB by default.
pub fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let mut result = None;
    let mut step = || result = work.take().map(|work| work());
    let finished = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("okl".into()).stack_size(DEEP_STACK);
        match thread.spawn_scoped(scope, &mut step) {
            Ok(handle) => handle.join().map_err(std::panic::resume_unwind).is_ok(),
            Err(_) => false,
        }
    });
    if !finished {
        // No thread is to be had: the caller's stack serves all but extreme sources.
        step();
    }
    match result {
        Some(result) => result,
        None => unreachable!("the work runs exactly once, and a panic in it has been passed on"),
    }
}
