//! Masses of pairs of muons: for each event the first two of opposite charge; and their histogram.
//!
//! Events have different numbers of muons. Their properties lie in rows one behind the other, and `offsets` says where each
//! event begins, as in Awkward Array and Arrow.
//!
//! cargo run --release --example zmass -- CPU

use ferrocca::primitives::Primitives;
use ferrocca::{Device, Result};
use std::f32::consts::{PI, TAU};

/// A loop within a loop, which a function can leave early.
const FIRST_PAIR: &str = "
double first_pair(const int begin, const int end, const float *pt, const float *eta, const float *phi, const int *charge) {
  for (int i = begin; i < end; ++i) {
    for (int j = i + 1; j < end; ++j) {
      if (charge[i] != charge[j]) {
        return sqrt(2.0 * pt[i] * pt[j] * (cosh((double)eta[i] - eta[j]) - cos((double)phi[i] - phi[j])));
      }
    }
  }
  return -1.0;
}";

/// Muons of many events.
pub(crate) struct Events {
    /// One more than events.
    pub(crate) offsets: Vec<i32>,
    /// Transverse momentum in GeV, pseudorapidity, azimuth in radians.
    pub(crate) pt: Vec<f32>,
    pub(crate) eta: Vec<f32>,
    pub(crate) phi: Vec<f32>,
    pub(crate) charge: Vec<i32>,
}

impl Events {
    /// Made-up ones: three of four have a pair whose mass is near the Z boson's 91.2 GeV, the others up to three muons of no
    /// common origin.
    pub(crate) fn made_up(events: usize) -> Self {
        let mut state = 1u64;
        // From 0 to 1, by Knuth's linear congruential generator.
        let mut uniform = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        let mut all = Self { offsets: vec![0], pt: vec![], eta: vec![], phi: vec![], charge: vec![] };
        for event in 0..events {
            if event % 4 == 3 {
                for _ in 0..(4.0 * uniform()) as usize {
                    let charge = if uniform() < 0.5 { -1 } else { 1 };
                    all.push(5.0 + 40.0 * uniform(), 4.0 * uniform() - 2.0, TAU * uniform() - PI, charge);
                }
            } else {
                // Back to back: the mass is twice the momentum. A sum of uniform numbers has a bell's shape.
                let half = 45.6 + 2.0 * (uniform() + uniform() + uniform() - 1.5);
                let (eta, phi) = (1.6 * uniform() - 0.8, PI * uniform());
                all.push(half, eta, phi, 1);
                all.push(half, eta, phi - PI, -1);
            }
            all.offsets.push(all.pt.len() as i32);
        }
        all
    }

    fn push(&mut self, pt: f32, eta: f32, phi: f32, charge: i32) {
        self.pt.push(pt);
        self.eta.push(eta);
        self.phi.push(phi);
        self.charge.push(charge);
    }

    /// One event's mass, in plain Rust.
    pub(crate) fn mass(&self, event: usize) -> f64 {
        let (begin, end) = (self.offsets[event] as usize, self.offsets[event + 1] as usize);
        for i in begin..end {
            for j in i + 1..end {
                if self.charge[i] != self.charge[j] {
                    let eta = f64::from(self.eta[i]) - f64::from(self.eta[j]);
                    let phi = f64::from(self.phi[i]) - f64::from(self.phi[j]);
                    return (2.0 * f64::from(self.pt[i]) * f64::from(self.pt[j]) * (eta.cosh() - phi.cos())).sqrt();
                }
            }
        }
        -1.0
    }
}

/// The mass of each event's first pair, −1 where it has none; and how many there are for each GeV below 120.
pub(crate) fn masses(device: &Device, events: &Events) -> Result<(Vec<f64>, Vec<i32>)> {
    let primitives = Primitives::new(device);
    let offsets = device.malloc_from(&events.offsets)?;
    let (pt, eta, phi) =
        (device.malloc_from(&events.pt)?, device.malloc_from(&events.eta)?, device.malloc_from(&events.phi)?);
    let charge = device.malloc_from(&events.charge)?;
    let mass = device.malloc::<f64>(events.offsets.len() - 1)?;
    primitives
        .elementwise("mass = first_pair(offsets[i], offsets[i + 1], pt, eta, phi, charge);")
        .functions(FIRST_PAIR)
        .raw("offsets", offsets.untyped())
        .raw("pt", pt.untyped())
        .raw("eta", eta.untyped())
        .raw("phi", phi.untyped())
        .raw("charge", charge.untyped())
        .output("mass", &mass, None)
        .run()?;
    let mut counts = device.malloc::<i32>(120)?;
    primitives.histogram(&mass, 0.0, 120.0).store(&mut counts)?;
    device.finish()?;
    Ok((mass.to_vec()?, counts.to_vec()?))
}

#[allow(dead_code)] // The tests call `masses`.
fn main() -> Result<()> {
    let device = Device::open(std::env::args().nth(1).unwrap_or("CPU".into()))?;
    let events = Events::made_up(1_000_000);
    let (mass, counts) = masses(&device, &events)?;
    let pairs = mass.iter().filter(|&&mass| mass >= 0.0).count();
    let furthest = (0..1000).map(|event| (mass[event] - events.mass(event)).abs()).fold(0.0, f64::max);
    println!("{pairs} of {} events have a pair; furthest of 1,000 from plain Rust: {furthest:.1e} GeV", mass.len());
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    for (from, &count) in counts.iter().enumerate().skip(76).take(30) {
        println!("{from:>4} GeV {count:>7} {}", "#".repeat((60 * i64::from(count) / i64::from(most)) as usize));
    }
    Ok(())
}
