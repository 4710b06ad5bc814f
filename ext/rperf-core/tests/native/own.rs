//! The real thing: this very program's own maps, file and functions.

use std::fs;

use rperf_core::ids::NativeId;
use rperf_core::native::{Image, Images, MappedFile, Natives};
use rperf_core::time::Nanos;

const NOW: Nanos = Nanos(1_000_000_000);

struct Own;

impl Images for Own {
    fn maps(&mut self) -> String {
        fs::read_to_string("/proc/self/maps").expect("this is Linux")
    }

    fn image(&mut self, file: &MappedFile) -> Option<Image> {
        Image::parse(fs::read(&file.id.path).ok()?.as_slice())
    }
}

#[inline(never)]
fn a_function_of_this_test(number: u64) -> u64 {
    std::hint::black_box(number) + 1
}

#[test]
fn a_function_of_this_program_has_its_name() {
    assert_eq!(a_function_of_this_test(1), 2);
    let mut natives = Natives::new(Own, 100);
    let address = a_function_of_this_test as *const () as u64;
    assert_eq!(natives.function_at(address, NOW), Some(NativeId(1)));
    let found = &natives.functions()[0];
    assert_eq!(found.label, "native::own::a_function_of_this_test");
    assert_eq!(Some(found.path.as_str()), std::env::current_exe().expect("a path").to_str());
}

#[test]
fn the_stack_is_no_code_of_a_file() {
    let mut natives = Natives::new(Own, 100);
    let local = 5_u8;
    assert_eq!(natives.function_at(&raw const local as u64, NOW), Some(NativeId::NONE));
}
