//! One kernel in several builds, of which its launches find the fastest: what the property `tune` asks for.
//!
//! Every launch runs one build, so that nothing is done twice. The first launches of a size take turns and are measured, which
//! waits for each; those that follow take the build that was the fastest, and so do those of later processes, which find the choice
//! in the cache directory. Launches are of one size where their whole numbers and the lengths of their memory have as many bits.

use crate::arguments::{Arg, ArgKind};
use crate::backend::BackendStream;
use crate::cache::{Cache, Key, KeyBuilder};
use crate::kernel::Kernel;
use crate::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Launches of each build that are measured, after one that is not: that one may load what the others find.
const ROUNDS: usize = 3;

/// A kernel remembers the choices for so many sizes.
const MAX_SIZES: usize = 256;

/// One build of a kernel.
pub(crate) struct Build {
    /// `TILE=64`
    pub(crate) what: String,
    pub(crate) kernel: Kernel,
}

/// The builds of a kernel, and what is known of them.
pub(crate) struct Tuner {
    builds: Vec<Build>,
    refused: Vec<(String, Error)>,
    /// Where choices are kept, and the key of these builds.
    kept: Option<(Cache, Key)>,
    sizes: Mutex<HashMap<Size, Found>>,
}

/// Bits of each whole number and of each length.
type Size = SmallVec<[u8; 32]>;

/// What launches of one size have found.
#[derive(Clone, Debug)]
struct Found {
    /// Launches so far.
    launches: usize,
    /// The least time of each build; `None` where there is none yet, or the build cannot be launched so.
    ms: Vec<Option<f64>>,
    is_out: Vec<bool>,
    chosen: Option<usize>,
    was_kept: bool,
}

/// A choice in the cache directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChoiceRecord {
    pub(crate) key: String,
    pub(crate) chosen: usize,
    pub(crate) ms: Vec<Option<f64>>,
}

/// What a kernel with the property `tune` knows of its builds; `Display` is a table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tuning {
    /// The builds, as `TILE=64`.
    pub builds: Vec<String>,
    /// Those that could not be built, with the reason.
    pub refused: Vec<(String, Error)>,
    /// For each size of launches, in no order.
    pub sizes: Vec<TunedSize>,
}

/// What is known for launches of one size.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TunedSize {
    /// Least milliseconds of each build; `None` for one that was not measured, or cannot be launched.
    pub ms: Vec<Option<f64>>,
    /// The build that launches take; `None` while they are measured.
    pub chosen: Option<usize>,
    /// Another process has measured it.
    pub from_cache: bool,
}

impl Tuner {
    /// `builds` are not empty.
    pub(crate) fn new(builds: Vec<Build>, refused: Vec<(String, Error)>, kept: Option<(Option<Cache>, Key)>) -> Self {
        let kept = kept.and_then(|(cache, key)| Some((cache?, key)));
        Self { builds, refused, kept, sizes: Mutex::default() }
    }

    /// The build whose texts and signature stand for all.
    pub(crate) fn first(&self) -> &Kernel {
        &self.builds[0].kernel
    }

    /// The same with each build replaced.
    pub(crate) fn map(&self, mut of: impl FnMut(&Kernel) -> Result<Kernel>) -> Result<Self> {
        let build = |build: &Build| Ok(Build { what: build.what.clone(), kernel: of(&build.kernel)? });
        let builds = self.builds.iter().map(build).collect::<Result<_>>()?;
        // Other builds have other times.
        Ok(Self { builds, refused: self.refused.clone(), kept: None, sizes: Mutex::default() })
    }

    /// Queues a launch of one build.
    pub(crate) fn launch(&self, arguments: &[Arg<'_>], stream: &dyn BackendStream) -> Result<()> {
        let size = size_of(arguments);
        let mut sizes = self.lock();
        if sizes.len() >= MAX_SIZES && !sizes.contains_key(&size) {
            sizes.clear();
        }
        let found = sizes.entry(size.clone()).or_insert_with(|| self.found(&size));
        if let Some(chosen) = found.chosen {
            drop(sizes);
            return self.builds[chosen].kernel.queue(arguments, stream);
        }
        // Others wait: what runs beside a launch would be measured with it.
        loop {
            let build = found.next();
            let start = stream.tag()?;
            match self.builds[build].kernel.queue(arguments, stream) {
                Ok(()) => {}
                // A group too large for the device, say: nothing has run.
                Err(error) if matches!(error.kind(), ErrorKind::Unsupported { .. }) && found.left() > 1 => {
                    found.is_out[build] = true;
                    continue;
                }
                Err(error) => {
                    return Err(error.while_doing(format!("launching the build with {}", self.builds[build].what)));
                }
            }
            let end = stream.tag()?;
            end.wait()?;
            if found.count(build, end.elapsed_ms(&*start)?) {
                self.keep(&size, found);
            }
            return Ok(());
        }
    }

    /// The build that launches of this size take, or the best one so far.
    pub(crate) fn known(&self, arguments: &[Arg<'_>]) -> &Kernel {
        let size = size_of(arguments);
        let build = self.lock().entry(size.clone()).or_insert_with(|| self.found(&size)).best();
        &self.builds[build].kernel
    }

    pub(crate) fn report(&self) -> Tuning {
        let sizes = self.lock();
        let size = |found: &Found| TunedSize { ms: found.ms.clone(), chosen: found.chosen, from_cache: found.was_kept };
        Tuning {
            builds: self.builds.iter().map(|build| build.what.clone()).collect(),
            refused: self.refused.clone(),
            sizes: sizes.values().map(size).collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Size, Found>> {
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What another process has found, or nothing.
    fn found(&self, size: &Size) -> Found {
        let builds = self.builds.len();
        let kept = self.kept.as_ref().and_then(|(cache, key)| cache.choice(&key_for(key, size)).ok().flatten());
        match kept.filter(|kept| kept.chosen < builds && kept.ms.len() == builds) {
            Some(kept) => Found {
                launches: 0,
                ms: kept.ms,
                is_out: vec![false; builds],
                chosen: Some(kept.chosen),
                was_kept: true,
            },
            None => Found {
                launches: 0,
                ms: vec![None; builds],
                is_out: vec![false; builds],
                chosen: (builds == 1).then_some(0),
                was_kept: false,
            },
        }
    }

    fn keep(&self, size: &Size, found: &Found) {
        if let (Some((cache, key)), Some(chosen)) = (&self.kept, found.chosen) {
            let key = key_for(key, size);
            let record = ChoiceRecord { key: key.to_string(), chosen, ms: found.ms.clone() };
            // The next process measures again where this one cannot keep it.
            let _ = cache.check().map(|()| cache.store_choice(&key, &record));
        }
    }
}

impl Found {
    /// Builds that can be launched.
    fn left(&self) -> usize {
        self.is_out.iter().filter(|&&out| !out).count()
    }

    /// Whose turn it is.
    fn next(&self) -> usize {
        let turn = self.launches % self.is_out.len();
        let builds = self.is_out.len();
        (0..builds).map(|k| (turn + k) % builds).find(|&build| !self.is_out[build]).unwrap_or(0)
    }

    fn best(&self) -> usize {
        let time = |build: usize| self.ms[build].unwrap_or(f64::INFINITY);
        let builds = (0..self.ms.len()).filter(|&build| !self.is_out[build]);
        self.chosen.or_else(|| builds.min_by(|&a, &b| time(a).total_cmp(&time(b)))).unwrap_or(0)
    }

    /// Counts a launch of a build; true if that decides.
    fn count(&mut self, build: usize, ms: f64) -> bool {
        let (builds, round) = (self.is_out.len(), self.launches / self.is_out.len());
        if round > 0 {
            self.ms[build] = Some(self.ms[build].map_or(ms, |least| least.min(ms)));
        }
        // Those that are out have no turn.
        self.launches = round * builds + build + 1;
        while !self.launches.is_multiple_of(builds) && self.is_out[self.launches % builds] {
            self.launches += 1;
        }
        if self.launches >= builds * (1 + ROUNDS) {
            self.chosen = Some(self.best());
        }
        self.chosen.is_some()
    }
}

fn key_for(builds: &Key, size: &Size) -> Key {
    KeyBuilder::new("choice of a size").field("builds", builds.to_string().as_bytes()).field("size", size).finish()
}

fn size_of(arguments: &[Arg<'_>]) -> Size {
    let bits = |number: u64| (u64::BITS - number.leading_zeros()) as u8;
    let of_argument = |argument: &Arg<'_>| match &argument.0 {
        ArgKind::Number(number) => number.size().map_or(0, |size| bits(size.unsigned_abs())),
        ArgKind::Memory { memory, .. } => bits(memory.bytes() as u64),
        ArgKind::Struct(..) | ArgKind::Null => 0,
    };
    arguments.iter().map(of_argument).collect()
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, size) in self.sizes.iter().enumerate() {
            let origin = if size.from_cache { ", measured before" } else { "" };
            let state = if size.chosen.is_some() { "" } else { ", being measured" };
            writeln!(f, "size {}{origin}{state}:", number + 1)?;
            for (build, ms) in size.ms.iter().enumerate() {
                let mark = if size.chosen == Some(build) { "*" } else { " " };
                match ms {
                    Some(ms) => writeln!(f, "{mark} {}: {ms:.4} ms", self.builds[build])?,
                    None => writeln!(f, "{mark} {}: not measured", self.builds[build])?,
                }
            }
        }
        if self.sizes.is_empty() {
            writeln!(f, "no launch yet: {}", self.builds.join("; "))?;
        }
        for (what, error) in &self.refused {
            writeln!(f, "  {what}: left out: {error}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(builds: usize) -> Found {
        Found { launches: 0, ms: vec![None; builds], is_out: vec![false; builds], chosen: None, was_kept: false }
    }

    #[test]
    fn builds_take_turns_until_each_was_measured_and_then_the_fastest_stays() {
        let mut found = found(3);
        let mut turns = Vec::new();
        while found.chosen.is_none() {
            let build = found.next();
            turns.push(build);
            // The first round is slow for the one that is fast later.
            let ms = [2.0, 1.0, 3.0][build] + if turns.len() <= 3 { 10.0 * build as f64 } else { 0.0 };
            found.count(build, ms);
        }
        assert_eq!(turns, [0, 1, 2].repeat(1 + ROUNDS));
        assert_eq!((found.chosen, found.ms), (Some(1), vec![Some(2.0), Some(1.0), Some(3.0)]));
    }

    #[test]
    fn a_build_that_cannot_be_launched_loses_its_turns() {
        for out in 0..3 {
            let mut found = found(3);
            found.is_out[out] = true;
            let mut turns = Vec::new();
            while found.chosen.is_none() {
                let build = found.next();
                turns.push(build);
                found.count(build, 1.0 + build as f64);
            }
            let others: Vec<usize> = (0..3).filter(|&build| build != out).collect();
            assert_eq!(turns, others.repeat(1 + ROUNDS), "without {out}");
            assert_eq!(found.chosen, Some(others[0]));
        }
    }
}
