//! Functions by address.

use rperf_core::native::{Symbol, SymbolTable};

fn table(symbols: &[(u64, u64, bool, &'static str)]) -> SymbolTable {
    SymbolTable::new(
        symbols
            .iter()
            .map(|&(address, size, exported, name)| Symbol { address, size, exported, name })
            .collect(),
    )
}

fn name(table: &SymbolTable, address: u64) -> Option<&str> {
    table.find(address).map(|index| table.name(index))
}

#[test]
fn a_function_covers_its_bytes_and_no_more() {
    let table = table(&[(200, 10, true, "second"), (100, 50, true, "first")]);
    let names = [99, 100, 149, 150, 199, 200, 209, 210].map(|address| name(&table, address));
    let (first, second) = (Some("first"), Some("second"));
    assert_eq!(names, [None, first, first, None, None, second, second, None]);
}

#[test]
fn a_function_without_a_size_covers_nothing() {
    let table = table(&[(100, 0, true, "label"), (100, 4, false, ""), (0, 10, true, "start")]);
    assert_eq!(name(&table, 100), None);
    assert_eq!(name(&table, 9), Some("start"));
}

#[test]
fn a_part_of_a_function_hides_only_its_own_bytes() {
    let table = table(&[(100, 100, true, "whole"), (120, 10, true, "part")]);
    assert_eq!(
        [110, 125, 130, 199].map(|at| name(&table, at).unwrap_or("")),
        ["whole", "part", "whole", "whole"]
    );
}

#[test]
fn of_several_names_the_exported_one_is_shown() {
    let table =
        table(&[(100, 8, false, "a"), (100, 8, true, "rb_array_push"), (100, 8, true, "rb_ary_push")]);
    assert_eq!(name(&table, 104), Some("rb_ary_push"));
}

#[test]
fn addresses_at_the_ends_do_no_harm() {
    let table = table(&[(0, u64::MAX, true, "all"), (u64::MAX, u64::MAX, true, "last")]);
    assert_eq!((name(&table, 0), name(&table, u64::MAX - 1)), (Some("all"), Some("all")));
    assert_eq!(name(&table, u64::MAX), Some("last"));
    assert_eq!(SymbolTable::default().find(5), None);
}
