//! NCCL's calls and their order, on a library of these tests' own.

use super::*;
use crate::group;
use ferrocca_backend_cpu as _;
use ferrocca_core::backend::MailMessage;
use std::sync::Barrier;
use std::sync::atomic::AtomicBool;

/// What the tests' NCCL has been called with, and whether the mailbox has ended.
static CALLS: Mutex<Vec<&str>> = Mutex::new(Vec::new());
static IS_ENDED: AtomicBool = AtomicBool::new(false);

fn note(call: &'static str) {
    CALLS.lock().unwrap().push(call);
}

/// As NCCL's own, it does not return while somebody holds a graph; here while somebody waits in the mailbox.
unsafe extern "C" fn abort(_: Handle) -> c_int {
    let start = Instant::now();
    while !IS_ENDED.load(Ordering::Acquire) && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(1));
    }
    note("abort");
    0
}

unsafe extern "C" fn well(_: Handle, code: *mut c_int) -> c_int {
    // SAFETY: the caller's variable.
    unsafe { *code = 0 };
    0
}

unsafe extern "C" fn no_id(_: *mut Id) -> c_int {
    1
}
unsafe extern "C" fn no_rank(_: *mut Handle, _: c_int, _: Id, _: c_int) -> c_int {
    1
}
unsafe extern "C" fn destroy(_: Handle) -> c_int {
    note("destroy");
    0
}
unsafe extern "C" fn text(_: c_int) -> *const c_char {
    c"an unhandled error".as_ptr()
}
unsafe extern "C" fn last(_: Handle) -> *const c_char {
    c"the cable is cut".as_ptr()
}
unsafe extern "C" fn start() -> c_int {
    note("start");
    0
}
unsafe extern "C" fn end() -> c_int {
    note("end");
    0
}
unsafe extern "C" fn send(_: *mut c_void, _: usize, _: c_int, _: c_int, _: Handle, _: *mut c_void) -> c_int {
    note("send");
    0
}
unsafe extern "C" fn recv(_: *mut c_void, bytes: usize, _: c_int, _: c_int, _: Handle, _: *mut c_void) -> c_int {
    note("recv");
    c_int::from(bytes == 13)
}

struct Mailbox;

impl BackendMailbox for Mailbox {
    fn takes(&self, _: &[usize]) -> bool {
        true
    }
    fn address(&self) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }
    fn connect(&self, _: usize, _: &[Vec<u8>]) -> Result<()> {
        Ok(())
    }
    fn exchange(&self, _: u64, _: &[MailMessage], _: &[MailMessage]) -> Result<()> {
        Ok(())
    }
    fn end(&self) {
        note("mailbox");
        IS_ENDED.store(true, Ordering::Release);
    }
}

fn nccl(device: &Device) -> Nccl {
    let functions = Box::leak(Box::new(Functions {
        version: "2.0.0".to_owned(),
        get_unique_id: no_id,
        comm_init_rank: no_rank,
        comm_destroy: destroy,
        comm_abort: abort,
        comm_get_async_error: well,
        get_error_string: text,
        get_last_error: last,
        group_start: start,
        group_end: end,
        send,
        recv,
        _library: None,
    }));
    Nccl {
        functions,
        device: device.clone(),
        handle: AtomicPtr::new(std::ptr::dangling_mut()),
        calls: Mutex::default(),
        failed: OnceLock::new(),
        mailboxes: Mutex::default(),
    }
}

/// One test, because the functions of a library have no state of their own.
#[test]
fn messages_are_one_group_and_what_waits_in_mailboxes_ends_before_them() {
    let failed = Barrier::new(2);
    let is_checked = AtomicBool::new(false);
    let outcome = group(2, |comm| {
        if comm.rank() == 1 {
            failed.wait();
            return Err(Error::invalid("the disk is full"));
        }
        let device = Device::open("mode=Serial")?;
        let link = nccl(&device);
        let mailbox: Arc<dyn BackendMailbox> = Arc::new(Mailbox);
        link.watch(Arc::downgrade(&mailbox));
        let parcel = |bytes: usize| -> Result<Parcel> { Ok((1, device.malloc_filled::<u8>(bytes, 1)?.into_untyped())) };
        let calls = || std::mem::take(&mut *CALLS.lock().unwrap());
        link.exchange(0, &[parcel(3)?, parcel(0)?], &[parcel(5)?, parcel(3)?])?;
        assert_eq!(calls(), ["start", "send", "recv", "recv", "end"]);
        // A group that is begun is ended, and the first failure is the one that is told.
        let error = link.exchange(0, &[], &[parcel(13)?, parcel(3)?]).unwrap_err().to_string();
        assert!(error.contains("ncclRecv of NCCL: an unhandled error (the cable is cut)"), "{error}");
        assert_eq!(calls(), ["start", "recv", "end"]);
        let mut progress = Progress::new();
        assert!(link.is_well(comm, &mut progress) && link.failure().is_none());
        failed.wait();
        while link.is_well(comm, &mut progress) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(calls(), ["mailbox", "abort"]);
        let lost = device.finish().err();
        for error in [link.failure(), link.exchange(0, &[parcel(3)?], &[]).err(), lost] {
            let error = error.expect("a rank has failed").to_string();
            assert!(error.contains("rank 1 failed") && error.contains("the disk is full"), "{error}");
        }
        drop(link);
        assert!(calls().is_empty(), "what was aborted is not destroyed");
        is_checked.store(true, Ordering::Release);
        Ok(())
    });
    assert!(outcome.unwrap_err().to_string().contains("rank 1 of 2: the disk is full"));
    assert!(is_checked.into_inner(), "what rank 0 has met is told above");

    // A call that waits for a rank that hangs. The mailbox has ended above, for which the abort here waits.
    let (comm, device) = (Comm::alone(), Device::open("mode=Serial").unwrap());
    comm.set_limit(Duration::from_millis(50));
    let (link, mut progress) = (nccl(&device), Progress::new());
    let waiting = link.calls.lock().unwrap();
    assert!(link.is_well(&comm, &mut progress));
    drop(waiting);
    std::thread::sleep(Duration::from_millis(60));
    assert!(link.is_well(&comm, &mut progress), "nobody waits any more");
    let waiting = link.calls.lock().unwrap();
    while link.is_well(&comm, &mut progress) {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(waiting);
    let error = device.finish().unwrap_err().to_string();
    assert!(error.contains("rank 0 on ") && error.contains(" waited 50.0ms for its device"), "{error}");
}
