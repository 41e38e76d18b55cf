use ferrocca_core::{Memory, Result};

fn overwrite(memory: &Memory<f64>) -> Result<()> {
    memory.copy_from(&[1.0])
}

fn main() {}
