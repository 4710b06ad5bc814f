# frozen_string_literal: true

# Writes the dumps of this directory: Hashes as stackprof's `StackProf.results` returns them, laid
# out after its README and its C source (version 1.2 of the layout), through Ruby's own Marshal and
# JSON. Run it here: ruby stackprof.rb

require "json"

# Addresses, some of which need more than Marshal's 31 bits.
MAIN, FIB, SPLIT, COLLECTION, MARKING = 140_358_236_478_360, 140_358_236_478_400, 8_005_960, 0, 1

frames = {
  MAIN => {name: "<main>", file: "/app/fib.rb", total_samples: 9, samples: 0, edges: {FIB => 5, SPLIT => 2}, lines: {12 => [7, 0]}},
  FIB => {name: "Object#fib", file: "/app/fib.rb", line: 3, total_samples: 5, samples: 5, edges: {FIB => 4}, lines: {4 => [5, 3], 5 => [4, 2]}},
  SPLIT => {name: "String#split", file: "<cfunc>", total_samples: 2, samples: 2, edges: {}},
  COLLECTION => {name: "(garbage collection)", file: "", total_samples: 2, samples: 0, edges: {MARKING => 2}},
  MARKING => {name: "(marking)", file: "", total_samples: 2, samples: 2}
}
head = {version: 1.2, mode: :wall, interval: 1000, samples: 9, gc_samples: 2, missed_samples: 3, metadata: {host: "héllo"}}
raw = {
  raw: [3, MAIN, FIB, FIB, 3, 2, MAIN, FIB, 2, 2, COLLECTION, MARKING, 2, 2, MAIN, SPLIT, 2],
  raw_lines: [3, 12, 5, 4, 3, 2, 12, 5, 2, 2, 0, 0, 2, 2, 12, 0, 2],
  raw_sample_timestamps: Array.new(9) { |index| 5_000_000_000 + (index * 1001) },
  raw_timestamp_deltas: Array.new(9) { 1001 }
}
write = ->(name, bytes) { File.binwrite(File.join(__dir__, name), bytes) }
write.call("stackprof_raw.dump", Marshal.dump(head.merge(frames:, **raw)))
write.call("stackprof_aggregate.dump", Marshal.dump(head.merge(mode: :cpu, frames:)))
write.call("stackprof_object.dump", Marshal.dump(head.merge(mode: :object, interval: 10, frames:, **raw.except(:raw_lines))))
write.call("stackprof.json", "#{JSON.generate(head.merge(frames:, **raw))}\n")
