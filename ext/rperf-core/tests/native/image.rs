//! ELF files: which function is at an offset.

use rperf_core::native::Image;

use crate::elf::{ALL, EXPORTED, Function, GLOBAL, LOCAL, library};

/// Mapped from offset 0x1000 on, at 0x5000.
const SEGMENT: (u64, u64, u64) = (0x1000, 0x2000, 0x5000);
const FUNCTIONS: &[Function] = &[(0x5100, 0x20, GLOBAL, "deflate"), (0x5200, 0x80, LOCAL, "deflate_slow")];

fn name(image: &Image, offset: u64) -> Option<&str> {
    image.find(offset).map(|index| image.symbol(index))
}

#[test]
fn offsets_become_addresses_by_the_segment() {
    let file = library(SEGMENT, &[(ALL, FUNCTIONS)]);
    let image = Image::parse(file.as_slice()).expect("a whole file");
    assert_eq!(name(&image, 0x1100), Some("deflate"));
    assert_eq!(name(&image, 0x127f), Some("deflate_slow"), "functions that are not exported have names, too");
    // No neighbour's name for what lies between, nor for what no segment has.
    assert_eq!([0x1120, 0x11ff, 0x1280, 0x5100, 0, u64::MAX].map(|offset| name(&image, offset)), [None; 6]);
}

#[test]
fn a_stripped_file_has_its_exported_functions() {
    let file = library(SEGMENT, &[(EXPORTED, &FUNCTIONS[..1])]);
    let image = Image::parse(file.as_slice()).expect("a whole file");
    assert_eq!((name(&image, 0x1110), name(&image, 0x1210)), (Some("deflate"), None));
    let bare = library(SEGMENT, &[]);
    assert_eq!(name(&Image::parse(bare.as_slice()).expect("a whole file"), 0x1110), None);
}

#[test]
fn both_tables_are_read() {
    let file = library(SEGMENT, &[(ALL, &FUNCTIONS[1..]), (EXPORTED, &FUNCTIONS[..1])]);
    let image = Image::parse(file.as_slice()).expect("a whole file");
    assert_eq!((name(&image, 0x1110), name(&image, 0x1210)), (Some("deflate"), Some("deflate_slow")));
}

#[test]
fn what_is_no_file_of_this_kind_is_refused() {
    let file = library(SEGMENT, &[(ALL, FUNCTIONS)]);
    for bytes in [b"".as_slice(), b"\x7fELF", b"#!/bin/sh\n", &file[..40]] {
        assert!(Image::parse(bytes).is_none());
    }
}

/// Whatever bytes a file has: an answer, or none, but no crash.
#[test]
fn damaged_files_do_no_harm() {
    let file = library(SEGMENT, &[(ALL, FUNCTIONS), (EXPORTED, &FUNCTIONS[..1])]);
    let look = |bytes: &[u8]| {
        if let Some(image) = Image::parse(bytes) {
            for offset in [0, 0x1000, 0x1110, 0x1210, u64::MAX] {
                std::hint::black_box(name(&image, offset).map(str::len));
            }
        }
    };
    (0..file.len()).for_each(|length| look(&file[..length]));
    for place in 0..file.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut damaged = file.clone();
            damaged[place] = value;
            look(&damaged);
        }
        // Whole words, as offsets and sizes are.
        let mut damaged = file.clone();
        let end = (place + 8).min(damaged.len());
        damaged[place..end].fill(0xff);
        look(&damaged);
    }
}
