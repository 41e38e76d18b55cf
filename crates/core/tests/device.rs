//! Opening devices, streams and tags, on the null device.

use ferrocca_conformance::null::{Call, NullBackend};
use ferrocca_core::backend::{Backend, BackendDevice, DeviceInfo, Mode};
use ferrocca_core::{
    Device, Error, ErrorKind, Kernel, Memory, MemoryPool, Props, Result, Stream, Tag, modes, register_backend,
};
use std::sync::{Arc, LazyLock};

static NULL: LazyLock<NullBackend> = LazyLock::new(NullBackend::new);

/// A backend whose driver is not there.
struct Missing;

const MISSING: &[Mode] = &[Mode::new("Missing", "never there").with_aliases(&["gone"])];

impl Backend for Missing {
    fn modes(&self) -> &'static [Mode] {
        MISSING
    }
    fn probe(&self, mode: &str) -> Result<Vec<DeviceInfo>> {
        Err(Error::new(ErrorKind::Unavailable { mode: mode.into(), reason: "libmissing.so cannot be loaded".into() }))
    }
    fn open(&self, mode: &str, _props: &Props) -> Result<Arc<dyn BackendDevice>> {
        Err(self.probe(mode).unwrap_err())
    }
}

fn register() {
    static ONCE: LazyLock<()> = LazyLock::new(|| {
        register_backend(&*NULL).unwrap();
        register_backend(&Missing).unwrap();
    });
    LazyLock::force(&ONCE);
}

#[track_caller]
fn check(props: &str, expected: &str) {
    register();
    let got = Device::open(props)
        .map_or_else(|error| error.to_string(), |device| format!("{} {}", device.mode(), device.info().device_id));
    assert_eq!(got, expected, "{props}");
}

#[test]
fn a_device_is_opened_by_mode_or_alias_in_any_case() {
    check("mode=Null, device_id=3", "Null 3");
    check("{mode: 'null', device_id: 4}", "Null 4");
    check("mode=NIL", "Null 0");
    // The mode may stand alone, in front.
    check("Null", "Null 0");
    check(" nil , device_id=3", "Null 3");
    check("Null,", "Null 0");
    check(
        "device_id=3, Null",
        "properties, line 1, column 18: expected `:` or `=` after `Null`, got the end; properties are \
         pairs with commas between them, such as `mode=CPU, threads=2`",
    );
    check("Null, mode=Null", "properties, line 1, column 7: `mode` is given twice");
}

#[test]
fn what_cannot_be_opened_says_why_and_what_can() {
    const HAD: &str = "modes available here: `Null`; without a device here: `Missing` (`ferrocca info` says why)";
    // Why a mode is not available is said of the one that was asked for.
    let had = HAD.split("; ").next().expect("it is not empty");
    check("mode=Gone", &format!("mode `Missing` is not available: libmissing.so cannot be loaded\n{had}"));
    check("mode=Nul", &format!("mode `Nul` is not available: there is no such mode (did you mean `Null`?)\n{HAD}"));
    check("mode=XYZ", &format!("mode `XYZ` is not available: there is no such mode\n{HAD}"));
    check(
        "HIP",
        &format!(
            "mode `HIP` is not available: there is no such mode; AMD GPUs are used through `OpenCL` or `WebGPU`\n{HAD}"
        ),
    );
    check("", &format!("no mode is named, as in `CPU` or `mode=CPU`\n{HAD}"));
    check("Null:threads=2", "`Null` is a mode, not a property: write `Null, threads=2`");
    check("null: 1", "`Null` is a mode, not a property: write `Null, device_id=1`");
    check(
        "CUDA",
        &format!(
            "mode `CUDA` is not available: this program was built without it: add the feature `cuda` of the crate \
             `ferrocca`\n{HAD}"
        ),
    );
    check(
        "mode=Null threads=2",
        &format!(
            "mode `Null threads=2` is not available: there is no such mode; a comma is missing before `threads=2`: write \
             `Null, threads=2`\n{HAD}"
        ),
    );
    check(
        "mode=Null, device_id=0 profile=true",
        "property `device_id` takes an integer, got '0 profile=true' (a string); a comma is missing before `profile=true`",
    );
    check(
        "mode=Null, okl={restrict: 'disabled'}",
        "`okl` is a property of kernels, not of devices: give it where a kernel is built, or as `kernel: {okl: …}` for all \
         kernels of this device",
    );
    check("mode=1", "property `mode` takes a string, got 1 (an integer)");
    check("mode=Null, device_id=x", "property `device_id` takes an integer, got 'x' (a string)");
    check("mode=Null, device_id=-1", "property `device_id` takes an integer from 0 to 4294967295, got -1");
    check(
        "mode=Null, device=1",
        "unknown `Null` device property `device`; known: `mode`, `kernel`, `profile`, `verbose`, `cache_dir`, `device_id`",
    );
    check("mode=Null, profile=3", "property `profile` takes true or false, got 3 (an integer)");
    check("mode=Null, ", "Null 0");
    check(
        "mode Null",
        "properties, line 1, column 6: expected `:` or `=` after `mode`, got `N`; properties are pairs with commas between \
         them, such as `mode=CPU, threads=2`",
    );
}

#[test]
fn a_mode_name_belongs_to_one_backend() {
    register();
    let error = register_backend(Box::leak(Box::new(NullBackend::new()))).unwrap_err().to_string();
    assert_eq!(error, "mode name `Null` belongs to a registered backend already (mode `Null`)");
    assert_eq!(modes().iter().filter(|mode| mode.name == "Null").count(), 1);
}

#[test]
fn a_failing_driver_is_an_error_not_another_device() {
    let backend = NullBackend::new();
    backend.fail(Call::Open, 1);
    let error = Device::open_with(&backend, ()).unwrap_err();
    assert_eq!(error.to_string(), "mode `Null` is not available: injected failure");
    let error = Device::open_with(&backend, "mode=CPU").unwrap_err();
    assert_eq!(error.to_string(), "mode `CPU` is not available: this backend has no such mode");
}

#[test]
fn what_is_printed_for_people_is_readable() {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    let source = "struct S { int a; };
        @kernel void f(const int n, const float *x, double *y, const S s) {
          for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) y[i] = x[i] + s.a;
        }";
    let kernel = device.build_kernel_from_string(source, "f", ()).unwrap();
    let text = format!("{kernel:?}");
    assert!(text.starts_with("Kernel(f(int n, const float *x, double *y, S s) on #"), "{text}");
    // What `fn main() -> Result<()>` prints.
    let error = device.build_kernel_from_string("@kernel void f(int n) { n = ; }", "f", ()).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(error.to_string().starts_with("<string>:1:29: error: expected an expression"), "{error}");
}

#[test]
fn streams_and_tags() {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    let other = Device::open_with(&backend, ()).unwrap();
    let stream = device.create_stream().unwrap();
    let error = device.create_stream_with("nonblocking=true").unwrap_err().to_string();
    assert!(
        error.starts_with("`Null` stream property `nonblocking` is not needed here: remove it (streams"),
        "{error}"
    );
    let error = device.create_stream_with("priority=1").unwrap_err().to_string();
    assert_eq!(error, "unknown `Null` stream property `priority`; there are no `Null` stream properties");
    let start = device.tag_stream().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2));
    let end = stream.tag().unwrap();
    assert!(device.time_between(&start, &end).unwrap() >= 0.002);
    device.wait_for(&end).unwrap();
    stream.wait(&start).unwrap();
    stream.finish().unwrap();
    device.finish().unwrap();
    drop(stream.range("phase"));
    assert!(end.is_reached().unwrap());
    let foreign = other.tag_stream().unwrap();
    for result in [
        device.wait_for(&foreign),
        stream.wait(&foreign),
        device.set_stream(&other.stream()),
        device.time_between(&foreign, &end).map(|_| ()),
    ] {
        assert!(matches!(result.unwrap_err().kind(), ErrorKind::WrongDevice { .. }));
    }
    for (call, work) in [
        (Call::Finish, &(|| device.finish()) as &dyn Fn() -> Result<()>),
        (Call::StreamFinish, &|| stream.finish()),
        (Call::Tag, &|| stream.tag().map(|_| ())),
        (Call::TagWait, &|| end.wait()),
        (Call::Elapsed, &|| end.seconds_since(&start).map(|_| ())),
        (Call::StreamWait, &|| stream.wait(&start)),
        (Call::CreateStream, &|| device.create_stream().map(|_| ())),
        (Call::MemoryInfo, &|| device.memory_size().map(|_| ())),
    ] {
        backend.fail(call, 1);
        assert!(work().is_err(), "{call:?}");
        work().unwrap();
    }
}

#[test]
fn a_thread_that_set_a_stream_keeps_no_device_open() {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    let memory = device.malloc::<u8>(8).unwrap();
    device.set_stream(&device.create_stream().unwrap()).unwrap();
    assert_ne!(device.stream().handle(), 0);
    drop(memory);
    drop(device);
    assert_eq!(backend.count(Call::Free), 1);
    let device = Device::open_with(&backend, ()).unwrap();
    assert_eq!(device.stream().handle(), 0, "another device starts with its default stream");
}

thread_local! {
    static AT_THE_END: std::cell::RefCell<Option<AtTheEnd>> = const { std::cell::RefCell::new(None) };
}

/// Runs work when its thread's own data goes.
struct AtTheEnd(Box<dyn Fn()>);

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn a_thread_that_ends_uses_the_default_stream() {
    let device = Device::open_with(&NullBackend::new(), ()).unwrap();
    let (told, results) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let stream = device.create_stream().unwrap();
        let of_end = (device.clone(), stream.clone());
        let work = move || {
            let (device, stream) = &of_end;
            let mut memory = device.malloc_from(&[1_u8, 2]).unwrap();
            memory.copy_from(&[3, 4]).unwrap();
            let refused = device.set_stream(stream).map_err(|error| error.to_string());
            told.send((memory.to_vec().unwrap(), device.stream().handle(), device.tag_stream().is_ok(), refused))
                .unwrap();
        };
        // The thread-local that was used first goes last, after the list of streams.
        AT_THE_END.set(Some(AtTheEnd(Box::new(work))));
        device.set_stream(&stream).unwrap();
        assert_ne!(device.stream().handle(), 0);
    });
    thread.join().unwrap();
    let refused = Err("this thread is ending: it has no current stream that can be set".to_owned());
    assert_eq!(results.recv().unwrap(), (vec![3, 4], 0, true, refused));
}

#[test]
fn the_owner_of_a_stream_stays_while_it_is_somebodys() {
    let device = Device::open_with(&NullBackend::new(), ()).unwrap();
    let owner = std::sync::Arc::new(());
    let held = || std::sync::Arc::strong_count(&owner) > 1;
    // SAFETY: the null device takes any number for a stream.
    let stream = unsafe { device.wrap_stream_with_owner(77, Some(Box::new(owner.clone()))) }.unwrap();
    device.set_stream(&stream).unwrap();
    drop(stream);
    let current = device.stream();
    assert!(held() && current.handle() == 77);
    device.set_stream(&device.default_stream()).unwrap();
    assert!(held(), "a handle is left");
    drop(current);
    assert!(!held());
}

#[test]
fn handles_may_cross_threads() {
    fn is_send_sync<T: Send + Sync>() {}
    is_send_sync::<Device>();
    is_send_sync::<Kernel>();
    is_send_sync::<Memory<f64>>();
    is_send_sync::<MemoryPool>();
    is_send_sync::<Stream>();
    is_send_sync::<Tag>();
    is_send_sync::<Error>();
    fn is_clone<T: Clone>() {}
    is_clone::<Device>();
    is_clone::<Kernel>();
    is_clone::<Stream>();
    is_clone::<Tag>();
    is_clone::<MemoryPool>();
}

#[test]
fn after_work_that_was_not_done_every_wait_says_so() {
    register();
    let device = Device::open("mode=Null").unwrap();
    let memory = device.malloc_from(&[1.0, 2.0]).unwrap();
    let (stream, before) = (device.create_stream().unwrap(), device.stream().tag().unwrap());
    assert_eq!(device.tags().unwrap().len(), 2);
    device.finish().unwrap();
    device.fail(Error::invalid("the cable is cut"));
    device.fail(Error::invalid("nobody answers"));
    let waits = [
        device.finish(),
        device.finish_within(std::time::Duration::ZERO).map(drop),
        stream.finish(),
        before.wait(),
        device.stream().tag().unwrap().wait(),
        memory.to_vec().map(drop),
    ];
    for wait in waits {
        assert_eq!(wait.unwrap_err().to_string(), "the cable is cut");
    }
    drop(stream);
    assert_eq!(device.tags().unwrap().len(), 1);
    Device::open("mode=Null").unwrap().finish().unwrap();
}
