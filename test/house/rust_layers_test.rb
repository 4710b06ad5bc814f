# frozen_string_literal: true

require "minitest/autorun"
require_relative "../support/paths"
require_relative "rust_layers"
require_relative "rust_rooms"

# The rules of the two crates, on the crates and on snippets that break them.
class RustLayersTest < Minitest::Test
  CORE = "ext/rperf-core/src/"
  BINDING = "ext/rperf/src/"
  CORE_FILES = %w[lib.rs ids.rs time.rs accounting/mod.rs collect/mod.rs collect/buffer.rs profile/mod.rs format/mod.rs]
  BINDING_FILES = %w[lib.rs session.rs threads.rs vm/mod.rs vm/threads.rs os/mod.rs os/thread.rs hooks/mod.rs
                     timer/mod.rs api/mod.rs]

  def test_core_crate_keeps_its_layers
    assert_kept violations_below(CORE, :core) { |file, text| RustRooms.core_violations(file, text) }
  end

  def test_binding_crate_keeps_its_layers
    assert_kept violations_below(BINDING, :binding) { |file, text| RustRooms.binding_violations(file, text) }
  end

  def test_compiler_keeps_unsafe_out_too
    assert_match(/^#!\[forbid\(unsafe_code\)\]/, File.read(Paths.of(CORE, "lib.rs")))
    assert_match(/^#!\[deny\(unsafe_code\)\]/, File.read(Paths.of(BINDING, "lib.rs")))
  end

  def test_core_depends_on_nothing_of_the_outside
    manifest = File.read(Paths.of("ext/rperf-core/Cargo.toml"))

    refute_match(/^(libc|nix|magnus|rb-sys|crossbeam-channel)\b/, manifest)
  end

  def test_format_may_not_name_collect
    assert_equal ["format/mod.rs: format may not name collect"], core("format/mod.rs", "use crate::collect::Snapshot;")
  end

  def test_a_group_is_taken_apart
    code = "use crate::{ids::{FrameId, StackId}, format::{pprof, text}, time::Nanos};"

    assert_equal ["profile/mod.rs: profile may not name format"], core("profile/mod.rs", code)
  end

  def test_paths_inside_expressions_count
    assert_equal ["ids.rs: ids may not name profile"], core("ids.rs", "fn f() -> crate::profile::Profile { todo() }")
  end

  def test_a_climbing_path_counts
    assert_equal ["collect/buffer.rs: collect may not name format"],
                 core("collect/buffer.rs", "use super::super::format::pprof;")
  end

  def test_a_sibling_is_no_other_layer
    assert_empty binding_crate("vm/mod.rs", "use super::threads::ThreadStruct;")
  end

  def test_comments_and_strings_are_not_code
    text = "/// See [`x`](crate::format::x). /* crate::format */\nconst A: &str = r#\"crate::format::\"x\"#;\n/* /* */ crate::format:: */"

    assert_empty core("ids.rs", text)
  end

  def test_an_unknown_core_module_needs_a_place
    assert_equal ["extra.rs: module extra has no place in RustLayers::CORE"], core("extra.rs", "")
  end

  def test_the_ground_may_not_name_the_session
    assert_equal ["vm/mod.rs: vm may not name session", "vm/mod.rs: vm may not name Session"],
                 binding_crate("vm/mod.rs", "use crate::session::Session;")
  end

  def test_hooks_may_not_name_timer_and_session_not_api
    assert_equal ["hooks/mod.rs: hooks may not name timer"], binding_crate("hooks/mod.rs", "use crate::timer::Tick;")
    assert_equal ["session.rs: session may not name api"], binding_crate("session.rs", "use crate::api;")
  end

  def test_os_may_not_name_vm_but_vm_os
    assert_equal ["os/mod.rs: os may not name vm"], binding_crate("os/mod.rs", "crate::vm::gvl();")
    assert_empty binding_crate("vm/mod.rs", "use crate::os::copier;")
  end

  def test_rooms_of_the_binding_crate
    assert_equal 1, RustRooms.binding_violations("session.rs", "rb_sys::rb_gc();").size
    assert_equal 1, RustRooms.binding_violations("os/clock.rs", "use rb_sys::VALUE;").size
    assert_equal 1, RustRooms.binding_violations("vm/x.rs", "use libc::c_int;").size
    assert_equal 1, RustRooms.binding_violations("timer/x.rs", "use nix::time::ClockId;").size
    assert_equal 1, RustRooms.binding_violations("session.rs", "unsafe { f() }").size
    assert_equal 1, RustRooms.binding_violations("session.rs", "#![allow(unsafe_code)]").size
    assert_empty RustRooms.binding_violations("vm/x.rs", "#![allow(unsafe_code)] unsafe { rb_sys::rb_gc() }")
    assert_empty RustRooms.binding_violations("session.rs", "#![deny(unsafe_code)] // unsafe { rb_sys } libc")
  end

  def test_the_core_is_pure
    broken = ["use std::fs::File;", "use std::{fmt, env};", "std::thread::spawn(f);", "Instant::now()",
              "use magnus::Ruby;", "use libc::c_int;", "unsafe { f() }", "println!(\"x\")", "eprint!(\"x\")"]

    broken.each { |code| assert_equal 1, RustRooms.core_violations("x.rs", code).size, code }
    assert_empty RustRooms.core_violations("x.rs", "use std::{fmt, io::Read}; // std::fs\nlet s = \"println!\";")
  end

  private

  # One sentence a line.
  def assert_kept(violations) = assert_empty(violations, violations.join("\n"))

  def core(file, text) = RustLayers.new(:core, CORE_FILES).violations(file, text)

  def binding_crate(file, text) = RustLayers.new(:binding, BINDING_FILES).violations(file, text)

  def violations_below(directory, crate)
    files = Paths.tracked("#{directory}*.rs").map { |path| path.delete_prefix(directory) }
    refute_empty files
    layers = RustLayers.new(crate, files)
    files.flat_map do |file|
      text = File.read(Paths.of(directory, file))
      layers.violations(file, text) + yield(file, text)
    end
  end
end
