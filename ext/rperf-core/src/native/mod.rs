//! Native code: from the address of an instruction to the function and the library that it belongs
//! to.
//!
//! An address is looked up in the [`AddressSpace`] (mappings), then in the [`Image`] of its file
//! (symbols). The function found gets a number of the [`Natives`]' table. Files and memory are read
//! by an implementation of [`Images`]. What was noted for a leaf frame [divides](divide) its time.

mod image;
mod label;
mod natives;
mod shares;
mod space;
mod symbols;

pub use image::Image;
pub use natives::{Images, NativeFunction, Natives};
pub use shares::{Share, divide};
pub use space::{AddressOwner, AddressSpace, FileId, MappedFile};
pub use symbols::{Symbol, SymbolTable};
