//! The text of /proc/self/maps.

use rperf_core::native::{AddressOwner, AddressSpace, MappedFile};

pub const MAPS: &str = "\
00010000-00020000 r--p 00000000 fe:00 77                         /usr/lib/libz.so.1
00020000-00030000 r-xp 00010000 fe:00 77                         /usr/lib/libz.so.1
00030000-00031000 rw-p 00000000 00:00 0 
00031000-00032000 rw-p 00020000 fe:00 77                         /usr/lib/libz.so.1
00040000-00050000 r-xp 00000000 fe:00 78                         /gems/two words.so (deleted)
00050000-00060000 r-xp 00000000 00:00 0                          [anon: Ruby:rb_yjit_reserve_addr_space]
00060000-00061000 rw-p 00000000 00:00 0                          [heap]
7fff0000-7fff2000 r-xp 00000000 00:00 0                          [vdso]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]
";

fn file_at(address: u64) -> (MappedFile, u64) {
    let space = AddressSpace::parse(MAPS);
    match space.find(address) {
        Some(AddressOwner::File(file, offset)) => (file.as_ref().clone(), offset),
        place => panic!("{place:?} at {address:#x}"),
    }
}

#[test]
fn an_address_is_in_a_file_at_an_offset() {
    let (file, offset) = file_at(0x2_1234);
    assert_eq!((file.id.path.as_str(), file.name(), offset), ("/usr/lib/libz.so.1", "libz.so.1", 0x1_1234));
    assert!(!file.deleted);
    assert_eq!(file_at(0x2_0000).1, 0x1_0000);
    assert_eq!(file_at(0x2_ffff).1, 0x1_ffff);
}

#[test]
fn the_parts_of_a_file_are_one_file() {
    assert_eq!(file_at(0x1_0000).0, file_at(0x2_0000).0);
    assert_eq!(file_at(0x3_1000).0.range, 0x1_0000..0x2_0000);
}

#[test]
fn a_deleted_file_says_so() {
    let (file, _) = file_at(0x4_0000);
    assert_eq!((file.id.path.as_str(), file.deleted), ("/gems/two words.so", true));
}

#[test]
fn the_kernels_code_is_a_file_and_other_memory_is_none() {
    assert_eq!(file_at(0x7fff_0010).0.id.path, MappedFile::VDSO);
    let space = AddressSpace::parse(MAPS);
    for address in [0x3_0000, 0x5_0000, 0x6_0fff, 0xffff_ffff_ff60_0000] {
        assert_eq!(space.find(address), Some(AddressOwner::Memory), "{address:#x}");
    }
}

#[test]
fn between_the_mappings_is_nothing() {
    let space = AddressSpace::parse(MAPS);
    for address in [0, 0xffff, 0x3_2000, 0x6_1000, 0x7fff_2000, u64::MAX] {
        assert_eq!(space.find(address), None, "{address:#x}");
    }
}

#[test]
fn lines_that_make_no_sense_are_left_out() {
    let nonsense = "\n-\nx-y r-xp 0 0 0 /a\n10-20\n10 r-xp 0 0:0 1 /a\n10-20 r-xp zz 0:0 1 /a\n\u{fffd}";
    assert_eq!(AddressSpace::parse(nonsense).find(0x10), None);
    assert!(AddressSpace::parse(&format!("{nonsense}\n{MAPS}")).find(0x1_0000).is_some());
}
