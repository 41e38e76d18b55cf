//! What the units of a command touch, as addresses, and sets of addresses.
//!
//! A *unit* is the least that a schedule moves: all groups of a launch at one position of its slowest axis
//! ([`ferrocca_core::backend::Footprint`]), a stretch of a copy or fill, or all work of the host. Units of one command do not
//! depend on each other.

use std::ops::Range;

/// The first byte, and the one behind the last.
pub(super) type Interval = [i64; 2];

/// Bytes that the units of a command read or write: those of unit `u` lie in `slope · u + reach`, and in `within`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    pub(super) writes: bool,
    /// The units that do it.
    pub(super) units: Range<u64>,
    pub(super) slope: i64,
    pub(super) reach: Interval,
    pub(super) within: Interval,
    /// The memory that the command was given there.
    pub(super) memory: Interval,
}

/// A command as its units touch memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Op {
    pub(super) units: u64,
    /// Work of a unit, in numbers that are comparable between commands.
    pub(super) weight: f64,
    pub(super) touches: Vec<Touch>,
    /// The thread that replays does it, so that no tile has it.
    pub(super) is_host: bool,
}

impl Touch {
    /// What some units touch; `None` where these do not.
    pub(super) fn of(&self, units: &Range<u64>) -> Option<Interval> {
        let (first, end) = (self.units.start.max(units.start), self.units.end.min(units.end));
        if first >= end {
            return None;
        }
        let (first, last) = (first as i64, end as i64 - 1);
        let (low, high) = if self.slope >= 0 { (first, last) } else { (last, first) };
        let at = |unit: i64, reach: i64| self.slope.saturating_mul(unit).saturating_add(reach);
        let begin = at(low, self.reach[0]).max(self.within[0]);
        let end = at(high, self.reach[1]).min(self.within[1]);
        (begin < end).then_some([begin, end])
    }

    /// The units that touch some of these bytes, and perhaps more between them.
    pub(super) fn meets(&self, [begin, end]: Interval) -> Range<u64> {
        if begin >= end || end <= self.within[0] || begin >= self.within[1] {
            return 0..0;
        }
        // slope · u + reach[1] > begin, and slope · u + reach[0] < end
        let (above, below) = (begin - self.reach[1], end - self.reach[0]);
        let (first, last) = match self.slope {
            0 if above < 0 && below > 0 => return self.units.clone(),
            0 => return 0..0,
            slope if slope > 0 => (above.div_euclid(slope) + 1, (below - 1).div_euclid(slope)),
            slope => (-(below - 1).div_euclid(-slope), -(above.div_euclid(-slope) + 1)),
        };
        let first = u64::try_from(first).unwrap_or(0).max(self.units.start);
        let end = u64::try_from(last.saturating_add(1)).unwrap_or(0).min(self.units.end);
        if first < end { first..end } else { 0..0 }
    }
}

impl Op {
    /// Whether a unit touches what another one writes: then their order decides, or there is none.
    pub(super) fn units_meet(&self) -> bool {
        let writers = self.touches.iter().filter(|touch| touch.writes);
        writers.clone().any(|write| {
            self.touches.iter().any(|other| {
                // Of the two, the one with fewer units is walked.
                let (walked, met) = if (write.units.end - write.units.start) < (other.units.end - other.units.start) {
                    (write, other)
                } else {
                    (other, write)
                };
                touches_another(walked, met)
            })
        })
    }
}

/// Units that are looked at one by one; of more, it is assumed that they meet.
const MOST_WALKED: u64 = 1 << 20;

/// Whether a unit of `walked` touches what another unit of `met` touches.
fn touches_another(walked: &Touch, met: &Touch) -> bool {
    let count = walked.units.end - walked.units.start;
    if walked.slope == met.slope && walked.slope != 0 && count > 1 {
        // A unit and the one `d` further meet where slope · d lies between these, ends excluded.
        let (below, above) = (walked.reach[0] - met.reach[1], walked.reach[1] - met.reach[0]);
        let (least, most) = (below.div_euclid(walked.slope.abs()) + 1, (above - 1).div_euclid(walked.slope.abs()));
        if least > most || least >= 0 && most <= 0 {
            return false;
        }
        // Units so far apart may not exist.
    }
    count > MOST_WALKED
        || walked.units.clone().any(|unit| {
            let units = walked.of(&(unit..unit + 1)).map_or(0..0, |interval| met.meets(interval));
            !units.is_empty() && units != (unit..unit + 1)
        })
}

/// Addresses: intervals in order that do not touch each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Addresses(Vec<Interval>);

impl Addresses {
    pub(super) fn add(&mut self, [mut begin, mut end]: Interval) {
        let first = self.0.partition_point(|known| known[1] < begin);
        let last = self.0.partition_point(|known| known[0] <= end);
        if first < last {
            begin = begin.min(self.0[first][0]);
            end = end.max(self.0[last - 1][1]);
        }
        self.0.splice(first..last, [[begin, end]]);
    }

    pub(super) fn intervals(&self) -> &[Interval] {
        &self.0
    }

    pub(super) fn bytes(&self) -> u64 {
        self.0.iter().map(|[begin, end]| (end - begin) as u64).sum()
    }

    pub(super) fn meets(&self, [begin, end]: Interval) -> bool {
        let next = self.0.partition_point(|known| known[1] <= begin);
        self.0.get(next).is_some_and(|known| known[0] < end)
    }
}
