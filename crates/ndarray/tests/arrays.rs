//! Arrays go to memory and come back, as copies and as views.

use ferrocca_backend_cpu as _;
use ferrocca_core::{Device, ErrorKind};
use ferrocca_ndarray::{DeviceArrays, MemoryArrays};
use ndarray::{Array1, Array2, Array3, s};

#[test]
fn arrays_of_any_order_come_back_as_they_were() {
    let device = Device::open("Serial").unwrap();
    let array = Array2::from_shape_fn((3, 5), |(row, column)| (10 * row + column) as i32);
    let memory = device.malloc_from_array(&array).unwrap();
    assert_eq!(memory.to_vec().unwrap()[..6], [0, 1, 2, 3, 4, 10]);
    assert_eq!(memory.to_array((3, 5)).unwrap(), array);
    assert_eq!(memory.to_array(15).unwrap()[14], 24);
    // Column by column, and every second row from the last.
    for view in [array.t().to_owned(), array.t().to_owned().reversed_axes().reversed_axes()] {
        assert_eq!(device.malloc_from_array(&view).unwrap().to_array((5, 3)).unwrap(), array.t());
    }
    let rows = array.slice(s![..;-2, ..]);
    assert_eq!(device.malloc_from_array(&rows).unwrap().to_array((2, 5)).unwrap(), rows);

    let mut memory = device.malloc_filled(15, 0).unwrap();
    memory.copy_from_array(&array.t()).unwrap();
    assert_eq!(memory.to_array((5, 3)).unwrap(), array.t());
    assert!(memory.copy_from_array(&rows).is_err(), "fewer elements");
}

#[test]
fn views_are_the_memory() {
    let device = Device::open("CPU, threads=2").unwrap();
    let mut memory = device.malloc_from(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    {
        // SAFETY: there is no other handle.
        let mut view = unsafe { memory.view_mut((2, 3)) }.unwrap();
        view[(1, 0)] = -4.0;
        view.row_mut(0).fill(0.5);
    }
    assert_eq!(memory.to_vec().unwrap(), [0.5, 0.5, 0.5, -4.0, 5.0, 6.0]);
    // SAFETY: nothing writes.
    let view = unsafe { memory.view((2, 3)) }.unwrap();
    assert_eq!(view.sum(), 8.5);
    let empty = device.malloc::<f32>(0).unwrap();
    // SAFETY: nothing writes.
    assert_eq!(unsafe { empty.view((0, 7)) }.unwrap().shape(), [0, 7]);
    assert_eq!(empty.to_array(0).unwrap(), Array1::<f32>::zeros(0));
}

#[test]
fn a_shape_must_fit() {
    let device = Device::open("Serial").unwrap();
    let mut memory = device.malloc_filled(6, 1u8).unwrap();
    let refused = memory.to_array((2, 2)).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Invalid { .. }));
    assert_eq!(refused.to_string(), "memory of 6 elements is no array of shape [2, 2]");
    assert!(memory.to_array((usize::MAX, usize::MAX)).is_err());
    // SAFETY: it is refused.
    assert!(unsafe { memory.view_mut(7) }.is_err());
    let _: Array3<u8> = memory.to_array((1, 2, 3)).unwrap();
}
