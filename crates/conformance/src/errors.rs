//! What a user gets for bad input: an error that names it, after which the device still works.

use crate::check::{self, Failure, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["errors";
    kernel_not_in_the_file, file_not_there, syntax_error_has_its_place, several_errors_in_one_run, error_in_a_macro,
    unknown_kernel_property, unknown_device_property, memory_of_another_device, stream_of_another_device, too_many_items,
];

const OK: &str = "@kernel void fill(const int n, int *a) {
    for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { a[i] = i; }
}";

fn works(device: &Device) -> Outcome {
    let mut a = device.malloc_filled(3, 0i32)?;
    device.build_kernel_from_string(OK, "fill", "")?.launch(args![3, &mut a])?;
    check::same("a kernel after the error", &a.to_vec()?, &[0, 1, 2])
}

fn kernel_not_in_the_file(device: &Device) -> Outcome {
    check::refused("no such kernel", device.build_kernel_from_string(OK, "fil", ""), &["fil", "fill"])?;
    works(device)
}

fn file_not_there(device: &Device) -> Outcome {
    check::refused("no such file", device.build_kernel("no/such/file.okl", "fill", ""), &["no/such/file.okl"])
}

fn syntax_error_has_its_place(device: &Device) -> Outcome {
    let source = OK.replace("a[i] = i", "a[i] = ");
    check::refused("syntax error", device.build_kernel_from_string(&source, "fill", ""), &[":2:", "^", "expression"])?;
    works(device)
}

fn several_errors_in_one_run(device: &Device) -> Outcome {
    let source = OK.replace("a[i] = i;", "a[i] = missing_one;\n a[i] = missing_two;");
    let built = device.build_kernel_from_string(&source, "fill", "");
    check::refused("two unknown names", built, &["missing_one", ":2:", "missing_two", ":3:"])
}

fn error_in_a_macro(device: &Device) -> Outcome {
    let source = format!("#define VALUE (1 + nowhere)\n{}", OK.replace("= i;", "= VALUE;"));
    check::refused("macro", device.build_kernel_from_string(&source, "fill", ""), &["nowhere", ":3:", ":1:", "VALUE"])
}

fn unknown_kernel_property(device: &Device) -> Outcome {
    check::refused("unknown property", device.build_kernel_from_string(OK, "fill", "define: 3"), &["define", "defines"])
}

fn unknown_device_property(device: &Device) -> Outcome {
    check::refused(
        "unknown property",
        Device::open(format!("mode={}, thread_count=3", device.mode())),
        &["thread_count"],
    )
}

fn another(device: &Device) -> Result<Device, Failure> {
    Ok(Device::open(format!("mode={}", device.mode()))?)
}

fn memory_of_another_device(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(OK, "fill", "")?;
    let mut foreign = another(device)?.malloc_filled(3, 0i32)?;
    check::refused("foreign memory", kernel.launch(args![3, &mut foreign]), &["`a`", "device"])?;
    works(device)
}

fn stream_of_another_device(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(OK, "fill", "")?;
    let stream = another(device)?.create_stream()?;
    let mut a = device.malloc_filled(3, 0i32)?;
    check::refused("foreign stream", kernel.launch_on(&stream, args![3, &mut a]), &["device"])?;
    works(device)
}

fn too_many_items(device: &Device) -> Outcome {
    let source = "@kernel void wide(const int n, int *a) {
        for (int o = 0; o < 1; ++o; @outer) { for (int i = 0; i < n; ++i; @inner) { if (i == 0) { a[0] = 1; } } }
    }";
    let kernel = device.build_kernel_from_string(source, "wide", "")?;
    let mut a = device.malloc_filled(1, 0i32)?;
    check::refused("2^31 - 1 items in a group", kernel.launch(args![i32::MAX, &mut a]), &["wide", "2147483647"])?;
    // A product that no 64-bit number holds.
    let source = "@kernel void deep(const int n, int *a) {
        for (int o = 0; o < 1; ++o; @outer) {
            for (int k = 0; k < n; ++k; @inner(2)) { for (int j = 0; j < n; ++j; @inner(1)) { for (int i = 0; i < n; ++i; @inner(0)) {
                if (i + j + k == 0) { a[0] = 1; }
            } } }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "deep", "")?;
    check::refused("(2^31 - 1)^3 items in a group", kernel.launch(args![i32::MAX, &mut a]), &["deep", "overflow"])?;
    works(device)
}
