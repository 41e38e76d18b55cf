//! Opens the devices and makes a test of every case.

use crate::check::{self, Failure};
use ferrocca_core::Device;
use ferrocca_core::backend::Capabilities;
use libtest_mimic::{Arguments, Failed, Trial};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// One promise of the library, checked on one device.
pub(crate) struct Case {
    /// `area::promise`.
    pub(crate) name: &'static str,
    /// What the device must be able to do.
    pub(crate) needs: Need,
    /// Checks it.
    pub(crate) run: fn(&Device) -> Result<(), Failure>,
}

/// What a case needs of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Need {
    Nothing,
    F64,
    I64,
    HostAddress,
}

impl Need {
    fn is_met(self, capabilities: &Capabilities) -> bool {
        match self {
            Self::Nothing => true,
            Self::F64 => capabilities.f64,
            Self::I64 => capabilities.i64,
            Self::HostAddress => !capabilities.separate_memory,
        }
    }
}

/// Lists functions of a module as cases: `cases!["memory"; zero_length, fill: F64]`.
macro_rules! cases {
    ($area:literal; $($name:ident $(: $need:ident)?),* $(,)?) => {
        /// The cases of this module.
        pub(crate) const CASES: &[$crate::harness::Case] = &[$(
            $crate::harness::Case {
                name: concat!($area, "::", stringify!($name)),
                needs: cases!(@need $($need)?),
                run: $name,
            },
        )*];
    };
    (@need) => { $crate::harness::Need::Nothing };
    (@need $need:ident) => { $crate::harness::Need::$need };
}
pub(crate) use cases;

fn all_cases() -> impl Iterator<Item = &'static Case> {
    [
        crate::memory::CASES,
        crate::copies::CASES,
        crate::pool::CASES,
        crate::streams::CASES,
        crate::arguments::CASES,
        crate::bounds::CASES,
        crate::checks::CASES,
        crate::constants::CASES,
        crate::divisions::CASES,
        crate::errors::CASES,
        crate::threads::CASES,
    ]
    .into_iter()
    .chain(crate::graphs::areas())
    .chain(crate::language::areas())
    .chain(crate::primitives::areas())
    .flatten()
}

/// The tests of one device, named by its mode; the device's props are as [`Device::open`] takes them.
/// A device that cannot be opened gives one test: a failing one when `FERROCCA_REQUIRE_DEVICES` names its mode,
/// else an ignored one that carries the reason in its name.
pub fn trials(props: &'static str) -> Vec<Trial> {
    check::decide(false);
    let device = match Device::open(props) {
        Ok(device) => device,
        Err(error) => return vec![missing(props, &error.to_string())],
    };
    let label = label(props);
    all_cases()
        .map(|case| {
            let device = device.clone();
            let met = case.needs.is_met(device.capabilities());
            let needs = case.needs;
            Trial::test(format!("{label}::{}", case.name), move || {
                if !met {
                    return Err(Failed::from(format!("the device lacks {needs:?}")));
                }
                (case.run)(&device).map_err(|failure| Failed::from(failure.0))
            })
            .with_ignored_flag(!met)
        })
        .collect()
}

/// Runs every case whose needs are met on a device that need not compute. Checks of results pass whatever they see, so
/// that each case builds all of its kernels. Returns the cases that ended early all the same, with the reason. One process
/// cannot do this and test devices: [`trials`] then panics.
pub fn dry_run(device: &Device) -> Vec<(&'static str, String)> {
    check::decide(true);
    let ended_early = |case: &Case| match catch_unwind(AssertUnwindSafe(|| (case.run)(device))) {
        Ok(outcome) => outcome.err().map(|failure| failure.0),
        Err(_) => Some("it panicked".to_owned()),
    };
    let cases = all_cases().filter(|case| case.needs.is_met(device.capabilities()));
    cases.filter_map(|case| ended_early(case).map(|reason| (case.name, reason))).collect()
}

/// A device of the caller's own, opened like `device`: cases run beside each other on one device, so that a case which
/// counts what is allocated needs one for itself.
pub(crate) fn alone(device: &Device) -> ferrocca_core::Result<Device> {
    Device::open(device.props().clone())
}

/// Runs the suite on every device of the list with the test runner's usual arguments.
pub fn main(devices: &[&'static str]) -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = devices.iter().flat_map(|props| trials(props)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn label(props: &str) -> String {
    let value = props.split(',').next().unwrap_or(props).trim().trim_start_matches("mode=");
    let rest: Vec<_> = props.split(',').skip(1).map(str::trim).collect();
    if rest.is_empty() { value.to_owned() } else { format!("{value}({})", rest.join(",")) }
}

fn missing(props: &'static str, reason: &str) -> Trial {
    let mode = props.split(',').next().unwrap_or(props).trim().trim_start_matches("mode=");
    let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
    let is_required = required.split(',').any(|name| name.trim().eq_ignore_ascii_case(mode));
    if !is_required {
        eprintln!("skipped: no device for `{props}`: {reason}");
    }
    let message = format!("no device for `{props}`: {reason}");
    Trial::test(format!("{}::device_is_missing", label(props)), move || Err(Failed::from(message)))
        .with_ignored_flag(!is_required)
}
