//! The table of native functions.

use rperf_core::ids::NativeId;
use rperf_core::native::{Image, Images, MappedFile, NativeFunction, Natives};
use rperf_core::time::Nanos;

use crate::elf::{ALL, GLOBAL, LOCAL, library};
use crate::space::MAPS;

/// Files made by hand, with a count of how often they were read.
#[derive(Debug, Default)]
struct Files {
    maps: Vec<&'static str>,
    looked: std::rc::Rc<std::cell::Cell<u32>>,
    read: std::rc::Rc<std::cell::Cell<u32>>,
}

impl Images for Files {
    fn maps(&mut self) -> String {
        self.looked.set(self.looked.get() + 1);
        self.maps.pop().unwrap_or(MAPS).to_owned()
    }

    fn image(&mut self, file: &MappedFile) -> Option<Image> {
        self.read.set(self.read.get() + 1);
        let functions = [
            (0x100, 0x80, GLOBAL, "deflate"),
            (0x200, 0x80, LOCAL, "deflate.cold"),
            (0x300, 0x80, LOCAL, "vm_exec_core"),
            (0x400, 0x80, LOCAL, "longest_match"),
        ];
        let file =
            (file.name() == "libz.so.1").then(|| library((0x1_0000, 0x1000, 0), &[(ALL, &functions)]))?;
        Image::parse(file.as_slice())
    }
}

const MILLISECOND: u64 = 1_000_000;
const NOW: Nanos = Nanos(1_000 * MILLISECOND);

fn natives(limit: usize) -> Natives<Files> {
    Natives::new(Files::default(), limit)
}

fn function(path: &str, label: &str) -> NativeFunction {
    NativeFunction { path: path.to_owned(), label: label.to_owned() }
}

#[test]
fn all_instructions_of_a_function_have_its_number() {
    let mut natives = natives(10);
    let numbers: Vec<_> = (0x2_0100..0x2_0180).map(|address| natives.function_at(address, NOW)).collect();
    assert_eq!(numbers, vec![Some(NativeId(1)); 0x80]);
    assert_eq!(natives.function_at(0x2_0210, NOW), Some(NativeId(1)), "a part that the compiler moved away");
    assert_eq!(natives.function_at(0x2_0400, NOW), Some(NativeId(2)));
    let (first, second) =
        (function("/usr/lib/libz.so.1", "deflate"), function("/usr/lib/libz.so.1", "longest_match"));
    assert_eq!(natives.functions(), [first, second]);
}

#[test]
fn where_no_function_covers_the_address_there_is_only_the_library() {
    let mut natives = natives(10);
    assert_eq!(natives.function_at(0x2_0500, NOW), Some(NativeId(1)));
    assert_eq!(natives.function_at(0x1_0000, NOW), Some(NativeId(1)));
    assert_eq!(natives.function_at(0x4_0000, NOW), Some(NativeId(2)), "a file that cannot be read");
    assert_eq!(natives.function_at(0x7fff_0000, NOW), Some(NativeId(3)));
    let expected = [
        function("/usr/lib/libz.so.1", "[libz.so.1]"),
        function("/gems/two words.so", "[two words.so]"),
        function("[vdso]", "[vdso]"),
    ];
    assert_eq!(natives.functions(), expected);
}

#[test]
fn the_interpreter_and_code_made_at_run_time_are_no_leaf() {
    let mut natives = natives(10);
    for address in [0x2_0310, 0x5_0000, 0x3_0000, 0x6_0000] {
        assert_eq!(natives.function_at(address, NOW), Some(NativeId::NONE), "{address:#x}");
    }
    assert!(natives.functions().is_empty());
}

#[test]
fn what_is_not_mapped_any_more_is_not_known() {
    let mut natives = Natives::new(Files { maps: vec!["", "", MAPS], ..Files::default() }, 10);
    let mut at = |address, moment| natives.function_at(address, Nanos(moment * MILLISECOND));
    assert_eq!(at(0x2_0100, 1_000), Some(NativeId(1)));
    assert_eq!(at(0x2_0100, 1_500), None);
    assert_eq!(at(0x2_0110, 2_000), Some(NativeId(1)), "mapped again");
}

#[test]
fn a_full_table_knows_the_old_functions_only() {
    let mut natives = natives(1);
    assert_eq!(natives.function_at(0x2_0100, NOW), Some(NativeId(1)));
    assert_eq!(natives.function_at(0x2_0400, NOW), None);
    assert_eq!(natives.function_at(0x2_0110, NOW), Some(NativeId(1)));
    assert_eq!(natives.function_at(0x5_0000, NOW), Some(NativeId::NONE));
    assert_eq!(natives.functions().len(), 1);
}

#[test]
fn each_file_is_read_once() {
    let files = Files::default();
    let read = std::rc::Rc::clone(&files.read);
    let mut natives = Natives::new(files, 10);
    for moment in [1_000, 2_000, 3_000] {
        for address in [0x2_0100, 0x1_0000, 0x4_0000, 0x4_0001, 0x5_0000] {
            assert!(natives.function_at(address, Nanos(moment * MILLISECOND)).is_some());
        }
        assert_eq!(natives.functions().len(), 3);
        natives.clear();
        assert!(natives.functions().is_empty());
    }
    assert_eq!(read.get(), 2);
}

#[test]
fn what_is_mapped_is_read_twice_a_second_and_where_an_address_is_not_known() {
    let files = Files { maps: vec![MAPS, MAPS, ""], ..Files::default() };
    let looked = std::rc::Rc::clone(&files.looked);
    let mut natives = Natives::new(files, 10);
    let mut at = |address, moment| natives.function_at(address, Nanos(moment * MILLISECOND));
    assert_eq!(at(0x2_0100, 1_000), Some(NativeId(1)), "nothing was mapped, and then it was");
    assert_eq!(looked.get(), 2);
    assert!((1_000..1_500).all(|moment| at(0x2_0100, moment) == Some(NativeId(1))));
    assert_eq!(looked.get(), 2);
    assert_eq!(at(0x2_0100, 1_500), Some(NativeId(1)));
    assert_eq!(looked.get(), 3);
    // Where nothing is mapped, reading it does not help, and is not tried at each address.
    assert!((1_600..1_700).all(|moment| at(0x9_0000_0000, moment).is_none()));
    assert_eq!(looked.get(), 4);
}
