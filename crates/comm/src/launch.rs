//! How a program becomes one rank of several: what its launcher says, which transport follows from that, and which device.

use crate::comm::{Comm, limit_of_environment};
use crate::tcp::{ADDRESS_VARIABLE, Tcp};
use crate::transport::failure;
use ferrocca_core::{Device, Error, ErrorKind, IntoProps, Props, Result};
use std::io::Write;
use std::process::ExitCode;

/// What launchers say of a process: a name, the variables of its rank and of the number of ranks.
const LAUNCHERS: &[(&str, &str, &str)] = &[
    ("Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("an MPI launcher", "PMI_RANK", "PMI_SIZE"),
    ("srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
    (TORCHRUN, "RANK", "WORLD_SIZE"),
];

/// What starts processes without MPI, and tells them where they meet.
const TORCHRUN: &str = "torchrun";

/// A process that a launcher has started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Who started it.
    pub launcher: &'static str,
    /// Its rank, counted from 0.
    pub rank: usize,
    /// Number of processes.
    pub size: usize,
}

impl Launch {
    /// What the environment says; `None` where no launcher has started this process.
    /// # Errors
    /// [`ErrorKind::Invalid`] for variables that are no numbers, or a rank that is none of so many.
    pub fn from_environment() -> Result<Option<Self>> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    /// Where rank 0 listens for ranks that TCP connects: what `FERROCCA_COMM_ADDRESS` says, else the port after torchrun's own
    /// (`MASTER_PORT` at `MASTER_ADDR`). `None` where nobody says it.
    /// # Errors
    /// [`ErrorKind::Invalid`] for a port that is none.
    pub fn address(&self, get: impl Fn(&str) -> Option<String>) -> Result<Option<String>> {
        if let Some(address) = get(ADDRESS_VARIABLE) {
            return Ok(Some(address));
        }
        let (Some(host), Some(port)) = (get("MASTER_ADDR"), get("MASTER_PORT")) else { return Ok(None) };
        if self.launcher != TORCHRUN {
            return Ok(None);
        }
        let wrong = || Error::invalid(format!("MASTER_PORT of the environment is a port below 65535, not `{port}`"));
        let next = port.trim().parse::<u16>().ok().and_then(|port| port.checked_add(1)).ok_or_else(wrong)?;
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        Ok(Some(format!("{host}:{next}")))
    }

    /// As [`from_environment`](Self::from_environment), of variables that `get` knows.
    /// # Errors
    /// As [`from_environment`](Self::from_environment).
    pub fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>> {
        for (launcher, rank_name, size_name) in LAUNCHERS {
            let (Some(rank), Some(size)) = (get(rank_name), get(size_name)) else { continue };
            let number = |name: &str, text: &str| {
                let wrong = || Error::invalid(format!("{name} of the environment is a number, not `{text}`"));
                text.trim().parse::<usize>().map_err(|_| wrong())
            };
            let (rank, size) = (number(rank_name, &rank)?, number(size_name, &size)?);
            if rank >= size {
                return Err(Error::invalid(format!("{rank_name}={rank} is no rank of {size_name}={size}")));
            }
            return Ok(Some(Self { launcher, rank, size }));
        }
        Ok(None)
    }
}

impl Comm {
    /// The ranks that a launcher has started; one rank where there is no launcher. Collective. Ranks of `torchrun`, and those of any
    /// launcher where `FERROCCA_COMM_ADDRESS` says where rank 0 listens (`host:port`), are connected by TCP; with the feature `mpi`
    /// others use MPI.
    ///
    /// A program is better given to [`run`], which ends all ranks where one fails.
    /// # Errors
    /// [`ErrorKind::Unsupported`] where this process is one of several and there is no transport for them; as [`Tcp::start`];
    /// [`ErrorKind::Communication`] where MPI knows another number of ranks than the launcher, as with another MPI's launcher.
    pub fn from_environment() -> Result<Self> {
        match Launch::from_environment()? {
            Some(launch) => match launch.address(|name| std::env::var(name).ok())? {
                Some(address) if launch.size > 1 => {
                    Self::new(Tcp::start(launch.rank, launch.size, &address, limit_of_environment()?)?)
                }
                _ => Self::launched(&launch),
            },
            None => Ok(Self::alone()),
        }
    }

    #[cfg(feature = "mpi")]
    fn launched(launch: &Launch) -> Result<Self> {
        use crate::transport::Transport;
        let transport = crate::mpi::Mpi::start()?;
        let (library, size) = (transport.library(), transport.size());
        if size != launch.size {
            // There is nobody whom it could end.
            transport.end(None);
            return Err(failure(format!(
                "{} started this process as rank {} of {}, but MPI ({library}) knows {size}: the launcher is probably of \
                 another MPI than the one that this program was built with",
                launch.launcher, launch.rank, launch.size
            )));
        }
        Self::new(transport)
    }

    #[cfg(not(feature = "mpi"))]
    fn launched(launch: &Launch) -> Result<Self> {
        let Launch { launcher, rank, size } = launch;
        if *size == 1 {
            return Ok(Self::alone());
        }
        Err(Error::unsupported(
            format!("running as rank {rank} of {size} of {launcher}"),
            format!(
                "this program was built without the feature `mpi`, and {ADDRESS_VARIABLE} does not say where rank 0 listens \
                 (`host:port`)"
            ),
        ))
    }

    /// Opens the device of this rank. The properties are those of [`Device::open`], and two things are filled in:
    /// `device_id: auto` is the number of the rank among those of its machine; a device of the mode `CPU` without `threads` or
    /// `pool` gets its share of the cores, as [`cores`](Self::cores) counts them. Alone, the properties stay as they are, but
    /// for `device_id: auto`, which is 0.
    /// # Errors
    /// As [`Device::open`].
    pub fn open_device(&self, props: impl IntoProps) -> Result<Device> {
        Device::open(self.device_props(props.into_device_props()?)?)
    }

    /// The properties with which [`open_device`](Self::open_device) opens a device.
    /// # Errors
    /// [`ErrorKind::Props`] for a mode or device that is no text.
    pub fn device_props(&self, mut props: Props) -> Result<Props> {
        if props.get("device_id").is_some() && props.get_str("device_id").is_ok_and(|id| id == Some("auto")) {
            props.set("device_id", self.local_rank() as i64);
        }
        let is_cpu = props.get_str("mode")?.is_some_and(|mode| mode.eq_ignore_ascii_case("CPU"));
        if self.size() > 1 && is_cpu && props.get("threads").is_none() && props.get("pool").is_none() {
            props.set("threads", self.cores() as i64);
        }
        Ok(props)
    }
}

/// Runs a program as one rank of those that a launcher has started, or as the only one. An error is told on the standard error,
/// with the rank and its machine, and ends all ranks; so does a panic.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     ferrocca_comm::run(|comm| {
///         println!("rank {} of {} on {}", comm.rank(), comm.size(), comm.host(comm.rank()));
///         Ok(())
///     })
/// }
/// ```
pub fn run(body: impl FnOnce(&Comm) -> Result<()>) -> ExitCode {
    let comm = match Comm::from_environment() {
        Ok(comm) => comm,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(&comm)));
    let outcome = outcome.unwrap_or_else(|_| Err(failure("it panicked, as told above")));
    match (&outcome, comm.size()) {
        (Ok(()), _) => comm.transport().end(None),
        (Err(error), 1) => {
            eprintln!("error: {error}");
            comm.transport().end(Some(error));
        }
        (Err(error), size) => {
            let rank = comm.rank();
            tell(&format!("error on rank {rank} of {size} ({}): {error}", comm.host(rank)));
            comm.transport().end(Some(error));
        }
    }
    if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes a line to the standard error with one call: of several, a launcher that ends its ranks may pass on the first alone.
pub fn tell(line: &str) {
    // A standard error that is closed is no reason to end in another way.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// The devices of a list, for [`peers`](crate::peers): `CUDA:0,CUDA:1` or `CPU,CPU` names a mode each, and a number of the
/// device after a colon; where one has more properties, as `CPU, threads=1; CPU, threads=1`, semicolons separate them. Devices
/// of the mode `CPU` without `threads` share the cores.
/// # Errors
/// [`ErrorKind::Props`] for an empty entry, or a number that is none.
pub fn device_list(text: &str) -> Result<Vec<Props>> {
    let is_detailed = text.contains([';', '=']);
    let entries: Vec<&str> = text.split(if is_detailed { ';' } else { ',' }).map(str::trim).collect();
    let parse = |entry: &&str| {
        if entry.is_empty() {
            let message = format!("an entry of the devices `{text}` is empty");
            return Err(Error::new(ErrorKind::Props { message }));
        }
        let (mode, id) = match entry.split_once(':').filter(|_| !is_detailed) {
            Some((mode, id)) => (mode, Some(id)),
            None => (*entry, None),
        };
        let mut props = mode.into_device_props()?;
        if let Some(id) = id {
            let wrong =
                || Error::new(ErrorKind::Props { message: format!("`{id}` in `{entry}` is no device's number") });
            props.set("device_id", id.parse::<u32>().map_err(|_| wrong())? as i64);
        }
        Ok(props)
    };
    let mut devices = entries.iter().map(parse).collect::<Result<Vec<Props>>>()?;
    let shares = |props: &Props| {
        let is_cpu = props.get_str("mode").is_ok_and(|mode| mode.is_some_and(|mode| mode.eq_ignore_ascii_case("CPU")));
        is_cpu && props.get("threads").is_none() && props.get("pool").is_none()
    };
    let count = devices.iter().filter(|props| shares(props)).count();
    if count > 1 {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for props in devices.iter_mut().filter(|props| shares(props)) {
            props.set("threads", (cores / count).max(1) as i64);
        }
    }
    Ok(devices)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(variables: &[(&str, &str)]) -> Result<Option<Launch>> {
        let get = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Launch::from_variables(get)
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        type Case<'a> = (&'a [(&'a str, &'a str)], Option<(usize, usize)>);
        let cases: &[Case<'_>] = &[
            (&[], None),
            (&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4")], Some((2, 4))),
            (&[("PMI_RANK", "0"), ("PMI_SIZE", "2")], Some((0, 2))),
            (&[("RANK", "7"), ("LOCAL_RANK", "3"), ("WORLD_SIZE", "8")], Some((7, 8))),
            (&[("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "3")], Some((1, 3))),
            // A batch script, in which nobody has started ranks yet.
            (&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "64")], None),
        ];
        for (variables, expected) in cases {
            let found = launch(variables).unwrap().map(|launch| (launch.rank, launch.size));
            assert_eq!(found, *expected, "{variables:?}");
        }
        let wrong = launch(&[("RANK", "two"), ("WORLD_SIZE", "8")]).unwrap_err().to_string();
        assert_eq!(wrong, "RANK of the environment is a number, not `two`");
        let wrong = launch(&[("RANK", "8"), ("WORLD_SIZE", "8")]).unwrap_err().to_string();
        assert_eq!(wrong, "RANK=8 is no rank of WORLD_SIZE=8");
    }

    #[test]
    fn ranks_meet_where_the_environment_says() {
        let address = |variables: &[(&str, &str)]| {
            let get = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            launch(variables).unwrap().unwrap().address(get)
        };
        let torchrun = [("RANK", "1"), ("WORLD_SIZE", "2")];
        let with = |more: &[(&'static str, &'static str)]| address(&[&torchrun[..], more].concat());
        assert_eq!(
            with(&[("MASTER_ADDR", "node7"), ("MASTER_PORT", "29500")]).unwrap().as_deref(),
            Some("node7:29501")
        );
        assert_eq!(with(&[("MASTER_ADDR", "::1"), ("MASTER_PORT", "1")]).unwrap().as_deref(), Some("[::1]:2"));
        assert_eq!(
            with(&[("MASTER_ADDR", "a"), ("MASTER_PORT", "1"), (ADDRESS_VARIABLE, "b:3")]).unwrap().as_deref(),
            Some("b:3")
        );
        assert_eq!(with(&[]).unwrap(), None);
        for port in ["65535", "x"] {
            let error = with(&[("MASTER_ADDR", "a"), ("MASTER_PORT", port)]).unwrap_err().to_string();
            assert!(error.contains(port) && error.contains("below 65535"), "{error}");
        }
        // MPI's launchers may be followed by torchrun's variables; they mean nothing here.
        let slurm = [("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2"), ("MASTER_ADDR", "a"), ("MASTER_PORT", "1")];
        assert_eq!(address(&slurm).unwrap(), None);
        let slurm = [&slurm[..], &[(ADDRESS_VARIABLE, "c:4")]].concat();
        assert_eq!(address(&slurm).unwrap().as_deref(), Some("c:4"));
    }

    #[test]
    fn lists_of_devices_are_read() {
        let ids = |text: &str| {
            let devices = device_list(text).unwrap();
            devices.iter().map(|props| props.get_int("device_id").unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(ids("CUDA:0,CUDA:1"), [Some(0), Some(1)]);
        assert_eq!(ids("CUDA, device_id=3; Serial"), [Some(3), None]);
        let shared = device_list("CPU,CPU").unwrap();
        let cores = std::thread::available_parallelism().unwrap().get() as i64;
        assert!(shared.iter().all(|props| props.get_int("threads").unwrap() == Some((cores / 2).max(1))));
        assert_eq!(device_list("CPU").unwrap()[0].get_int("threads").unwrap(), None);
        for (text, expected) in
            [("CPU,,CPU", "is empty"), ("CUDA:x", "`x` in `CUDA:x` is no device's number"), ("", "is empty")]
        {
            let error = device_list(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_rank_gets_the_device_and_the_cores_of_its_place() {
        let props = |comm: &Comm, text: &str| comm.device_props(text.into_device_props().unwrap()).unwrap();
        let alone = Comm::alone();
        assert_eq!(props(&alone, "CUDA, device_id=auto").get_int("device_id").unwrap(), Some(0));
        assert_eq!(props(&alone, "CPU").get_int("threads").unwrap(), None);
        crate::group(2, |comm| {
            let rank = comm.rank() as i64;
            assert_eq!(props(comm, "CUDA, device_id=auto").get_int("device_id")?, Some(rank));
            assert_eq!(props(comm, "CUDA, device_id=5").get_int("device_id")?, Some(5));
            assert_eq!(props(comm, "CPU").get_int("threads")?, Some(comm.cores() as i64));
            assert_eq!(props(comm, "CPU, threads=7").get_int("threads")?, Some(7));
            assert_eq!(props(comm, "Serial").get("threads"), None);
            Ok(())
        })
        .unwrap();
    }
}
