use ferrocca_core::Device;

fn strings(device: &Device) {
    let _ = device.malloc::<String>(1);
}

fn main() {}
