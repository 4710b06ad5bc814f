//! Native functions from outside: maps of memory, files with symbols, and the table of functions.

mod elf;
mod image;
mod natives;
#[cfg(target_os = "linux")]
mod own;
mod shares;
mod space;
mod symbols;
