//! Files that are mapped into this process, for the names of native functions. Not for use in a
//! signal handler: this opens files and allocates.

use std::fs::{self, File};

use object::read::ReadCache;
use rperf_core::native::{Image, Images, MappedFile};

use super::linux;

/// Maps and mapped files of this process.
#[derive(Debug)]
pub struct OwnImages;

impl Images for OwnImages {
    fn maps(&mut self) -> String {
        fs::read("/proc/self/maps")
            .map_or_else(|_| String::new(), |maps| String::from_utf8_lossy(&maps).into_owned())
    }

    fn image(&mut self, file: &MappedFile) -> Option<Image> {
        if file.id.path == MappedFile::VDSO {
            return Image::parse(memory(file)?.as_slice());
        }
        // The file is read, and only where needed. If it is shortened meanwhile, reading returns an
        // error, whereas an access to a mapping of it would end the process.
        Image::parse(&ReadCache::new(open(file)?))
    }
}

/// Opens the mapped file, not one that has taken its place since. A deleted file can still be
/// opened through its mapping, by processes to which the system allows that.
fn open(file: &MappedFile) -> Option<File> {
    let path = if file.deleted {
        format!("/proc/self/map_files/{:x}-{:x}", file.range.start, file.range.end)
    } else {
        file.id.path.clone()
    };
    File::open(path).ok().filter(|file| file.metadata().is_ok_and(|data| data.is_file()))
}

/// Returns a copy of the memory that a file is mapped to.
fn memory(file: &MappedFile) -> Option<Vec<u8>> {
    let size = usize::try_from(file.range.end - file.range.start).ok()?;
    let mut words = vec![0_usize; size / size_of::<usize>()];
    let read = linux::read_memory(&mut words, usize::try_from(file.range.start).ok()?);
    read.then(|| words.iter().flat_map(|word| word.to_ne_bytes()).collect())
}
