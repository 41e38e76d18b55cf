use ferrocca_core::dtype::StructType;
use ferrocca_core::{KernelStruct, kernel_struct};

kernel_struct! {
    struct Pair { x: f64, y: f64 }
}

struct Mine(f64);

impl KernelStruct for Mine {
    const LAYOUT: &'static StructType = Pair::LAYOUT;
}

fn main() {}
