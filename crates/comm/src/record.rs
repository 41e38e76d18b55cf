//! Exchanges within recorded loops.

use crate::comm::Comm;
use crate::pack::Queue;
use crate::plan::{Field, Plan};
use ferrocca_core::{AnyMemory, Recorder, Result};

/// Records exchanges beside launches: `recorder.exchange(&plan, &mut [&mut u])?`.
pub trait RecordExchange {
    /// Records an exchange of fields, given in the order of the plan, which may rotate. Collective, as each repetition of the
    /// loop is: all ranks replay it equally often.
    ///
    /// On one rank it is copies among the other commands. On several whose devices NCCL links, the messages are commands, too,
    /// whatever way the plan has for exchanges at once: the loop stays one graph, or does several repetitions in a pass through memory,
    /// as it does without ranks. On others the host exchanges at this point of each repetition. Processors do several repetitions of such a loop in a pass through memory, as they do without ranks, where the
    /// devices of all ranks are alike: what lies far enough from the ghosts runs ahead. On other devices what is recorded between two
    /// exchanges is made ready as a graph of its own.
    ///
    /// At the first exchange the ranks compare the kernels that are recorded before it: their sources and defines.
    /// # Errors
    /// As [`Plan::exchange`]; [`ferrocca_core::ErrorKind::Communication`] for kernels that differ.
    fn exchange<F: Field + ?Sized>(&mut self, plan: &Plan, fields: &mut [&mut F]) -> Result<()>;
}

impl RecordExchange for Recorder {
    fn exchange<F: Field + ?Sized>(&mut self, plan: &Plan, fields: &mut [&mut F]) -> Result<()> {
        let fields: Vec<AnyMemory> = fields.iter().map(|field| field.memory()).collect();
        let comm = plan.grid().comm();
        if comm.size() == 1 {
            plan.check(&fields)?;
            return plan.queue_local(&mut Queue::Recorded(self), &fields);
        }
        comm.all_succeed(plan.check(&fields))?;
        comm.agree("the kernels of a recorded loop", &kernels(self))?;
        if plan.is_linked() {
            return plan.record_linked(self, &fields);
        }
        let plan = plan.clone();
        let memory: Vec<&AnyMemory> = fields.iter().collect();
        if !are_alike(comm, self)? {
            return self.host(&memory, move |memory| plan.exchange_checked(memory));
        }
        let (read, written) = plan.touched(&fields)?;
        self.host_within(&memory, read, written, move |memory| plan.exchange_checked(memory))
    }
}

/// Whether the devices of all ranks run an exchange among other commands, and do as many repetitions as each other in a pass
/// through memory: ranks that do others would wait for each other. Collective.
fn are_alike(comm: &Comm, recorder: &Recorder) -> Result<bool> {
    let (device, is_taken) = (recorder.device(), recorder.takes_host_work());
    let [threads, tiling] = ["threads", "tiling"].map(|name| device.props().get(name).map(ToString::to_string));
    let own = format!("{} {} {threads:?} {tiling:?} {is_taken}", device.mode(), device.info().name);
    let all = comm.all_gather(own.as_bytes())?;
    Ok(is_taken && all.iter().all(|other| *other == all[0]))
}

/// Name and hash of each kernel that is recorded.
fn kernels(recorder: &Recorder) -> String {
    let describe = |kernel: &ferrocca_core::Kernel| {
        let key = kernel.source_key().map_or_else(|| "from a bundle".to_owned(), |key| key.to_string());
        format!("`{}` of source {:.16}", kernel.name(), key)
    };
    let all: Vec<String> = recorder.kernels().map(describe).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}
