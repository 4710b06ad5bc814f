//! The offsets that the extension takes as given, compared with the VM's structures of each release
//! from Ruby 3.4.0 on, as bindgen has read them from the headers of that release
//! (`rbspy-ruby-structs`).
//!
//! A release that is not in the list at the end has not been looked at: see
//! `docs/internals/new-ruby-checklist.md`.

#[cfg(test)]
#[path = "../../../ext/rperf/src/vm/offsets.rs"]
#[expect(dead_code, reason = "the bindings do not have all that is taken as given")]
mod offsets;

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of, zeroed};

    use rbspy_ruby_structs as releases;

    use crate::offsets::{WORD, context, frame, imemo, iseq, method, thread};

    /// Compares what is taken as given with what was found, and names all that differ.
    #[derive(Default)]
    struct Differences(Vec<String>);

    impl Differences {
        fn compare(&mut self, what: &str, given: usize, found: usize) {
            if given != found {
                self.0.push(format!("{what}: offsets.rs has {given}, this Ruby {found}"));
            }
        }

        fn check(&mut self, what: &str, holds: bool) {
            if !holds {
                self.0.push(what.to_owned());
            }
        }
    }

    /// The place of a member in words.
    macro_rules! word {
        ($type:ty, $member:ident) => {
            offset_of!($type, $member) / WORD + offset_of!($type, $member) % WORD * 1000
        };
    }

    macro_rules! release {
        ($name:ident) => {
            #[test]
            fn $name() {
                use releases::$name::*;
                let mut differences = Differences::default();
                let mut same = |what, given, found| differences.compare(what, given, found);

                type Context = rb_execution_context_struct;
                same("ec.vm_stack", context::STACK, word!(Context, vm_stack));
                same("ec.vm_stack_size", context::STACK_SIZE, word!(Context, vm_stack_size));
                same("ec.cfp", context::FRAME, word!(Context, cfp));
                same("members of ec before cfp", context::WORDS, word!(Context, cfp) + 1);

                type Frame = rb_control_frame_struct;
                same("cfp.pc", frame::PC, word!(Frame, pc));
                same("cfp.sp", frame::SP, word!(Frame, sp));
                same("cfp.iseq", frame::ISEQ, word!(Frame, iseq));
                same("cfp.ep", frame::EP, word!(Frame, ep));
                same("cfp.jit_return", frame::JIT_RETURN, word!(Frame, jit_return));
                same("size of a frame, the first to be tried", frame::SIZES[0], size_of::<Frame>());

                same("FL_USHIFT", imemo::KIND_SHIFT, ruby_fl_ushift_RUBY_FL_USHIFT as usize);
                differences.check(
                    "kinds of internal objects fit into the mask",
                    imemo_type_imemo_constcache as usize <= imemo::KIND_MASK,
                );
                let mut same = |what, given, found| differences.compare(what, given, found);
                same("imemo_svar", imemo::SVAR, imemo_type_imemo_svar as usize);
                same("imemo_ment", imemo::MENT, imemo_type_imemo_ment as usize);
                same("imemo_iseq", imemo::ISEQ, imemo_type_imemo_iseq as usize);
                same("svar.cref_or_me", imemo::SVAR_METHOD, word!(vm_svar, cref_or_me));
                same("flags of svar", 0, word!(vm_svar, flags));

                same("flags of a method entry", 0, word!(rb_method_entry_struct, flags));
                same("method entry.def", method::DEFINITION, word!(rb_method_entry_struct, def));
                same("method entry.called_id", method::NAME, word!(rb_method_entry_struct, called_id));
                same("method entry.owner", method::OWNER, word!(rb_method_entry_struct, owner));
                same(
                    "size of a method entry",
                    method::WORDS,
                    size_of::<rb_method_entry_struct>() / size_of::<usize>(),
                );
                same("VM_METHOD_TYPE_ISEQ", method::TYPE_ISEQ, rb_method_type_t_VM_METHOD_TYPE_ISEQ as usize);
                same(
                    "VM_METHOD_TYPE_CFUNC",
                    method::TYPE_CFUNC,
                    rb_method_type_t_VM_METHOD_TYPE_CFUNC as usize,
                );
                for kind in [rb_method_type_t_VM_METHOD_TYPE_CFUNC, rb_method_type_t_VM_METHOD_TYPE_REFINED] {
                    // SAFETY: the structure is made of numbers, pointers and unions of them.
                    let mut definition: rb_method_definition_struct = unsafe { zeroed() };
                    definition.set_iseq_overload(1);
                    definition.set_type(kind);
                    // SAFETY: it is larger than a word, and aligned as one.
                    let word = unsafe { *(&raw const definition).cast::<usize>() };
                    same("type of a definition", word & method::TYPE_MASK, kind as usize);
                }

                same("flags of an iseq", 0, word!(rb_iseq_struct, flags));
                same("iseq.body", iseq::BODY, word!(rb_iseq_struct, body));
                type Body = rb_iseq_constant_body;
                same("body.iseq_size, in bits", iseq::SIZE_SHIFT, offset_of!(Body, iseq_size) * 8);
                same("body.iseq_encoded", iseq::ENCODED, word!(Body, iseq_encoded));
                type Location = rb_iseq_location_struct;
                same("body.location", iseq::LOCATION, word!(Body, location));
                let end = iseq::LOCATION + size_of::<Location>() / WORD;
                same("the end of body.location", iseq::LOCATION_END, end);
                same("location.pathobj", 0, word!(Location, pathobj));
                same("location.base_label", 1, word!(Location, base_label));
                same("location.label", 2, word!(Location, label));
                same("location.first_lineno", 3, word!(Location, first_lineno));

                type Thread = rb_thread_struct;
                let searched = thread::SEARCHED * WORD;
                differences
                    .check("th.ec lies in what is searched", offset_of!(Thread, ec) + WORD <= searched);
                differences
                    .check("th.name lies in what is searched", offset_of!(Thread, name) + WORD <= searched);
                // That is the kind of structure whose members were compared.
                let _: fn(&Thread) -> *mut Context = |thread| thread.ec;
                assert!(differences.0.is_empty(), "{}", differences.0.join("\n"));
            }
        };
    }

    macro_rules! releases {
        ($($name:ident)*) => { $(release!($name);)* };
    }

    releases! {
        ruby_3_4_0 ruby_3_4_1 ruby_3_4_2 ruby_3_4_3 ruby_3_4_4 ruby_3_4_5 ruby_3_4_6
        ruby_3_4_7 ruby_3_4_8 ruby_3_4_9 ruby_3_4_10 ruby_3_4_11 ruby_3_4_12
        ruby_4_0_0 ruby_4_0_1 ruby_4_0_2 ruby_4_0_3 ruby_4_0_4
        ruby_4_0_5 ruby_4_0_6 ruby_4_0_7 ruby_4_0_8 ruby_4_0_9
    }
}
