ferrocca_core::kernel_struct! {
    struct Padded { n: i32, x: f64 }
}

fn main() {}
