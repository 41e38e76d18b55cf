use ferrocca_core::{Memory, Result};

fn copy(to: &mut Memory<f64>, from: &Memory<f32>) -> Result<()> {
    to.copy_from_memory(from)
}

fn main() {}
