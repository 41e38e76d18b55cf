//! Which threads a device runs on: the properties `threads` and `pool`, or an application's pool.

use crate::team::{MAX_THREADS, Pool, Team};
use crate::{error, processor};
use ferrocca_core::Result;
use ferrocca_core::props::{Props, Value};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error as _;
use std::sync::{Arc, OnceLock};

/// The property `threads`, with its line of explanation.
pub(crate) const THREADS: (&str, &str) = (
    "threads",
    "number of threads (default: those of Rayon's pool; with `pool=own` all cores that this process may use)",
);

/// The property `pool`, with its line of explanation.
pub(crate) const POOL: (&str, &str) = (
    "pool",
    "whose threads: `rayon` (default; with `threads` a Rayon pool of the device's own) or `own`, threads that nobody shares",
);

/// The threads that the properties name; none where only the calling one takes part.
pub(crate) fn team_of(props: &Props) -> Result<Option<Team>> {
    let threads = threads(props)?;
    match (is_own(props)?, threads) {
        (_, Some(1)) => Ok(None),
        (true, threads) => match threads.unwrap_or_else(|| processor::cores().min(MAX_THREADS)) {
            1 => Ok(None),
            threads => {
                let team = Team::own(threads).map_err(|e| error::system("pthread_create", e));
                Ok(Some(team.map_err(|e| e.while_doing(format!("starting {threads} threads")))?))
            }
        },
        (false, Some(threads)) => {
            let pool = Pool::private(threads).map_err(|e| error::system("pthread_create", e));
            Ok(Some(Team::in_pool(pool.map_err(|e| e.while_doing(format!("starting {threads} threads")))?)))
        }
        (false, None) => {
            start_global_pool()?;
            in_pool(Pool::Current, "this thread belongs to")
        }
    }
}

/// The threads of an application's pool.
pub(crate) fn team_in(pool: Arc<ThreadPool>) -> Result<Option<Team>> {
    in_pool(Pool::Shared(pool), "was given")
}

fn in_pool(pool: Pool, which: &str) -> Result<Option<Team>> {
    match pool.members() {
        1 => Ok(None),
        members if members <= MAX_THREADS => Ok(Some(Team::in_pool(pool))),
        members => Err(error::props(format!(
            "the pool of Rayon's that {which} has {members} threads, a device takes at most {MAX_THREADS}: give it \
             `threads=N`"
        ))),
    }
}

fn threads(props: &Props) -> Result<Option<usize>> {
    match props.get("threads") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Int(threads)) if (1..=MAX_THREADS as i64).contains(threads) => Ok(Some(*threads as usize)),
        Some(other) => {
            Err(error::props(format!("property `threads`: expected a number from 1 to {MAX_THREADS}, got {other}")))
        }
    }
}

fn is_own(props: &Props) -> Result<bool> {
    match props.get("pool") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::String(pool)) if pool == "rayon" => Ok(false),
        Some(Value::String(pool)) if pool == "own" => Ok(true),
        Some(other) => Err(error::props(format!("property `pool`: expected `rayon` or `own`, got {other}"))),
    }
}

/// Rayon starts its global pool at the first use, and panics where the threads cannot be had; here that is an error.
fn start_global_pool() -> Result<()> {
    static FAILURE: OnceLock<Option<String>> = OnceLock::new();
    if rayon::current_thread_index().is_some() {
        // The calling thread's pool is the one that is used.
        return Ok(());
    }
    let failure = FAILURE.get_or_init(|| {
        let error = ThreadPoolBuilder::new().build_global().err()?;
        // The application may have started it already, which has no source.
        error.source().map(ToString::to_string)
    });
    match failure {
        None => Ok(()),
        Some(failure) => Err(error::system("pthread_create", failure).while_doing("starting Rayon's global pool")),
    }
}
