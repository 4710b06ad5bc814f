//! Runs `go tool pprof`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use rperf_core::format::{Format, encode};
use rperf_core::profile::Profile;

/// A directory for the files of one test; it goes away with the value.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("rperf-formats-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary directory is writable");
        Self(path)
    }

    /// Writes a profile as pprof; the path of the file.
    pub fn write(&self, name: &str, profile: &Profile) -> PathBuf {
        let path = self.0.join(name);
        let bytes = encode(profile, Format::Pprof).expect("the profile is sound");
        std::fs::write(&path, bytes).expect("the temporary directory is writable");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left of it is in the temporary directory and does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program that `go tool pprof` starts: `go` takes as long to begin as pprof itself.
static PPROF: LazyLock<String> =
    LazyLock::new(|| output(Command::new("go").args(["tool", "-n", "pprof"])).trim_end().to_owned());

/// What pprof prints for these arguments and this file.
pub fn run(arguments: &[String], file: &Path) -> String {
    output(Command::new(&*PPROF).args(arguments).arg(file).env("TZ", "UTC"))
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("go cannot be run ({error}): run bin/setup"));
    assert!(output.status.success(), "{command:?} fails: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("pprof prints UTF-8")
}
