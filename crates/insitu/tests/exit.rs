//! What happens at a script's end. Alone in its process, because exit handlers belong to the whole interpreter.

mod support;

use ferrocca_insitu::{Hook, PythonHook, Run};

#[test]
fn exit_handlers_run_when_the_last_hook_goes_and_output_is_not_held_back() {
    let Some(python) = support::python() else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("log");
    let text = format!(
        "import atexit, sys\n\
         log = open({path:?}, 'w')\n\
         atexit.register(log.flush)\n\
         atexit.register(lambda: log.write('exit'))\n\
         def start(run):\n\
         \x20   assert sys.argv == [__file__] and __name__ == 'ends', (sys.argv, __name__)\n\
         \x20   assert sys.stdout.line_buffering\n"
    );
    let script = support::script(&directory, "ends.py", &text);
    let other = support::script(&directory, "other.py", "def step(frame): pass\n");
    let log = || std::fs::read_to_string(&path).expect("the log is there");
    let mut hook = PythonHook::load_with(&python, &script).expect("it loads");
    hook.start(&Run::new("x")).expect("start");
    drop(PythonHook::load_with(&python, &other).expect("it loads"));
    assert_eq!(log(), "", "another hook is still there");
    drop(hook);
    assert_eq!(log(), "exit");
    // The same script again is a new module: nothing is left of the first.
    let mut again = PythonHook::load_with(&python, &script).expect("it loads");
    again.start(&Run::new("x")).expect("start");
    drop(again);
    assert_eq!(log(), "exit");
    // Handlers of a later script run at its own end.
    drop(PythonHook::load_with(&python, other).expect("Python still runs"));
    assert_eq!(log(), "exit");
}
