//! The names of native functions, as programmers write them.

/// Returns the name of a function as its programmer writes it. The linker's names of Rust and C++
/// are decoded, and a suffix of the compiler for a part of a function (`match_at.cold`,
/// `work.constprop.0`) is cut off.
pub fn of_symbol(symbol: &str) -> String {
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        // Without the hash.
        return format!("{name:#}");
    }
    let whole = without_suffix(symbol);
    of_cpp(whole).unwrap_or_else(|| whole.to_owned())
}

fn of_cpp(symbol: &str) -> Option<String> {
    // Without the parameters' types: `Parser::parse`.
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    symbol.starts_with("_Z").then_some(())?;
    cpp_demangle::Symbol::new(symbol).ok()?.demangle_with_options(&options).ok()
}

/// Cuts a name off at a dot or `@`. Identifiers have no dots, but names may begin with one.
/// `name@VERSION` is a version of an exported function.
fn without_suffix(symbol: &str) -> &str {
    let end = symbol.char_indices().skip(1).find(|(_, letter)| matches!(letter, '.' | '@'));
    end.map_or(symbol, |(end, _)| &symbol[..end])
}

/// Returns the name for a file's code where no function is known: `[libz.so.1]`.
pub fn of_file(name: &str) -> String {
    if name.starts_with('[') { name.to_owned() } else { format!("[{name}]") }
}

/// Returns whether a function is the interpreter's loop: its work is the Ruby method's own work.
pub fn is_interpreter(label: &str) -> bool {
    matches!(label, "vm_exec_core" | "vm_exec" | "rb_vm_exec" | "jit_exec")
}

#[cfg(test)]
mod tests {
    use super::of_symbol;

    #[test]
    fn names_as_programmers_write_them() {
        for (symbol, expected) in [
            ("match_at", "match_at"),
            ("match_at.cold", "match_at"),
            ("vm_sendish.constprop.0.cold", "vm_sendish"),
            ("memcpy@@GLIBC_2.14", "memcpy"),
            (".L123", ".L123"),
            ("_ZN9workloads4burn3cpu17h0123456789abcdefE", "workloads::burn::cpu"),
            ("_ZN9workloads4burn3cpu17h0123456789abcdefE.llvm.42", "workloads::burn::cpu"),
            ("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"),
            ("_ZN6Parser5parseEPKc", "Parser::parse"),
            ("_ZN6Parser5parseEPKc.part.3", "Parser::parse"),
            ("_Znonsense", "_Znonsense"),
            ("", ""),
        ] {
            assert_eq!(of_symbol(symbol), expected, "{symbol}");
        }
    }
}
