//! Devices of different modes that are the same hardware: finding the other one, memory that both use in place, and
//! the order of their work.
//!
//! Invariants: memory that was imported keeps what was exported alive, and never the other way round; a channel's values
//! rise by one, and are signalled in that order, whichever threads ask.
//! Not here: what a handle is (the backends), and who may look at the memory when (its users order their streams).

use crate::backend::{BackendStream, BackendTimeline};
use crate::device::{Device, DeviceInner};
use crate::memory::AnyMemory;
use crate::stream::Stream;
use crate::{Error, ErrorKind, Result, registry};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What a device knows of others.
#[derive(Default)]
pub(crate) struct Peers {
    /// By mode; or why there is none.
    devices: Mutex<Vec<(&'static str, Result<Device>)>>,
    /// To each device whose streams have waited for this one's; `None` where the two share no timeline.
    channels: Mutex<Vec<Known>>,
}

/// Another device, and the way to it.
type Known = (Weak<DeviceInner>, Option<Arc<Channel>>);

impl Device {
    /// The device of a mode that is the same hardware; of its own mode, itself. It is opened at the first call, without
    /// further props, and stays open as long as this one; whether there is one is asked that once.
    /// # Errors
    /// [`ErrorKind::Unavailable`] for a mode that is not available, or none of whose devices is this one;
    /// [`ErrorKind::Unsupported`] where this device does not tell which hardware it is.
    pub fn peer(&self, mode: &str) -> Result<Self> {
        let (backend, mode) = registry::find(mode)?;
        if mode.name == self.mode() {
            return Ok(self.clone());
        }
        let mut known = lock(&self.inner.peers.devices);
        if let Some((_, peer)) = known.iter().find(|(name, _)| *name == mode.name) {
            return peer.clone();
        }
        let open = || {
            let own = self.info();
            let Some(uuid) = own.uuid else {
                let reason = format!("mode `{}` does not identify its hardware", self.mode());
                return Err(Error::unsupported(format!("finding a device in mode `{}`", mode.name), reason));
            };
            let there = backend.probe(mode.name)?;
            let Some(same) = there.iter().find(|info| info.uuid == Some(uuid)) else {
                let reason = format!("none of its devices is the `{}` of mode `{}`", own.name, self.mode());
                return Err(Error::new(ErrorKind::Unavailable { mode: mode.name.into(), reason }));
            };
            let props = backend.props_of(same).with("mode", mode.name);
            Self::open_mode(backend, mode, props)
        };
        let peer = open();
        known.push((mode.name, peer.clone()));
        peer
    }

    /// Memory of another device of the same hardware, as this one addresses it: nothing is copied. The allocation is
    /// imported once, and lives until both the result and `memory` are gone.
    ///
    /// Work of the two devices is not in order by itself: [`Stream::wait_stream`].
    /// # Errors
    /// [`ErrorKind::Unsupported`] where the other device exports no memory, or this one imports none;
    /// [`ErrorKind::WrongDevice`] where they are different hardware.
    pub fn import_memory(&self, memory: &AnyMemory) -> Result<AnyMemory> {
        let exporter = &memory.allocation;
        if Arc::ptr_eq(&exporter.device, &self.inner) {
            return Ok(memory.clone());
        }
        let imported = exporter.imported_by(&self.inner)?;
        let allocation = exporter.again(self.inner.clone(), imported, Box::new(exporter.clone()));
        Ok(AnyMemory { allocation, ..memory.clone() })
    }

    /// Whether other devices of the same hardware can import what this one allocates.
    pub fn exports_memory(&self) -> bool {
        self.inner.backend.exports_memory()
    }
}

impl Stream {
    /// Later work of this stream comes after what is queued on `other`, which may be a stream of another device: then the
    /// two devices keep the order by a timeline, where they share one, else the host waits here for `other`.
    /// # Errors
    /// Failures of either device.
    pub fn wait_stream(&self, other: &Stream) -> Result<()> {
        if Arc::ptr_eq(&self.device, &other.device) {
            return self.wait(&other.tag()?);
        }
        match channel(&other.device, &self.device) {
            Some(channel) => channel.order(&*other.backend, &*self.backend),
            None => other.finish(),
        }
    }
}

/// The way by which work of `to` waits for work of `from`.
fn channel(from: &Arc<DeviceInner>, to: &Arc<DeviceInner>) -> Option<Arc<Channel>> {
    let mut known = lock(&from.peers.channels);
    if let Some((_, channel)) = known.iter().find(|(device, _)| std::ptr::eq(device.as_ptr(), Arc::as_ptr(to))) {
        return channel.clone();
    }
    // What waits for a device that is gone is gone too.
    known.retain(|(device, _)| device.strong_count() > 0);
    let channel = Channel::open(from, to).map(Arc::new);
    known.push((Arc::downgrade(to), channel.clone()));
    channel
}

/// A timeline as two devices have it.
struct Channel {
    /// As the device has it that is waited for.
    signals: Arc<dyn BackendTimeline>,
    /// As the device has it that waits.
    waits: Arc<dyn BackendTimeline>,
    /// The value that was signalled last.
    last: Mutex<u64>,
}

impl Channel {
    /// Either of the two makes the timeline. Why neither can is nobody's concern: the host can wait.
    fn open(from: &DeviceInner, to: &DeviceInner) -> Option<Self> {
        let shared = |maker: &DeviceInner, taker: &DeviceInner| {
            let (made, handle) = maker.backend.create_timeline().ok()?;
            Some((made, taker.backend.import_timeline(handle).ok()?))
        };
        let ends = shared(from, to).or_else(|| shared(to, from).map(|(waits, signals)| (signals, waits)));
        ends.map(|(signals, waits)| Self { signals, waits, last: Mutex::new(0) })
    }

    fn order(&self, from: &dyn BackendStream, to: &dyn BackendStream) -> Result<()> {
        let mut last = lock(&self.last);
        // Counted before it is signalled: a value of which it is not known whether it was queued is not used again.
        *last += 1;
        self.signals.signal(from, *last)?;
        self.waits.wait(to, *last)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
