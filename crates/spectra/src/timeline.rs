//! When a device did what: copies of one bundle beside the kernels of another.

use ferrocca_core::{Result, Tag};
use std::fmt;

/// What a stretch of a time line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Inputs go to the device.
    Upload,
    /// Kernels.
    Compute,
    /// Results come back.
    Download,
}

/// A stretch of a time line, as the device's own clock has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Number of the device.
    pub device: usize,
    /// The bundle's first fibre.
    pub fibre: usize,
    /// What was done.
    pub stage: Stage,
    /// Seconds from the frame's start.
    pub begin: f64,
    /// Seconds from the frame's start.
    pub end: f64,
}

/// The time line of a frame. Printed, each stretch is a line with a bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Device by device, bundle by bundle.
    pub spans: Vec<Span>,
}

/// Columns of a bar.
const WIDTH: f64 = 60.0;

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.spans.iter().map(|span| span.end).fold(f64::MIN_POSITIVE, f64::max);
        writeln!(f, "device  fibre  stage     begin ms    end ms")?;
        for Span { device, fibre, stage, begin, end: own } in &self.spans {
            let column = |at: f64| ((at / end * WIDTH).round().max(0.0)) as usize;
            let (from, to) = (column(*begin), column(*own).max(column(*begin) + 1));
            let name = format!("{stage:?}").to_lowercase();
            let bar = [" ".repeat(from), "#".repeat(to - from)].concat();
            writeln!(f, "{device:>6}  {fibre:>5}  {name:<8}  {:>8.3}  {:>8.3}  {bar}", begin * 1e3, own * 1e3)?;
        }
        Ok(())
    }
}

/// Tags of stretches, which become a time line when the work is done.
pub(crate) struct Marks {
    device: usize,
    origin: Tag,
    marks: Vec<(usize, Stage, [Tag; 2])>,
}

impl Marks {
    /// A time line that begins at a tag.
    pub(crate) fn new(device: usize, origin: Tag) -> Self {
        Self { device, origin, marks: Vec::new() }
    }

    pub(crate) fn push(&mut self, fibre: usize, stage: Stage, tags: [Tag; 2]) {
        self.marks.push((fibre, stage, tags));
    }

    /// Waits for the tags.
    pub(crate) fn read(self, timeline: &mut Timeline) -> Result<()> {
        for (fibre, stage, [begin, end]) in self.marks {
            let [begin, end] = [begin.seconds_since(&self.origin)?, end.seconds_since(&self.origin)?];
            timeline.spans.push(Span { device: self.device, fibre, stage, begin, end });
        }
        Ok(())
    }
}
