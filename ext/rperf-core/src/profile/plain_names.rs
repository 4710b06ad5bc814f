//! Names without the parts that differ from one process to the next: addresses, and the numbers in
//! the names of view methods. So equal names mean the same in several workers, and before and after
//! a deploy.

use std::borrow::Cow;

use super::Function;

impl Function {
    /// Returns the function with a name that means the same in other processes.
    pub(crate) fn plain(mut self) -> Self {
        if let Cow::Owned(plain) = plain_name(&self.label) {
            let raw = std::mem::replace(&mut self.label, plain);
            if self.raw_label.is_empty() {
                self.raw_label = raw;
            }
        }
        self
    }
}

/// Beginning of an address in a name, as in `#<Class:0x00007f3a5c0d1e28>#call`.
const ADDRESS: &str = ":0x";

/// Returns the name without addresses and numbers of views: `#<Class>#call`,
/// `_app_views_posts_show_html_erb`. It is owned if it differs from `label`.
pub(super) fn plain_name(label: &str) -> Cow<'_, str> {
    let numberless = without_view_numbers(label);
    match without_addresses(numberless) {
        Cow::Borrowed(plain) if plain.len() < label.len() => Cow::Owned(plain.to_owned()),
        plain => plain,
    }
}

/// Removes addresses: hexadecimal digits after `:0x` and before a `>`.
fn without_addresses(label: &str) -> Cow<'_, str> {
    if !label.contains(ADDRESS) {
        return Cow::Borrowed(label);
    }
    let mut parts = label.split(ADDRESS);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        let is_address = digits > 0 && part[digits..].starts_with('>');
        plain.push_str(if is_address { "" } else { ADDRESS });
        plain.push_str(if is_address { &part[digits..] } else { part });
    }
    if plain == label { Cow::Borrowed(label) } else { Cow::Owned(plain) }
}

/// Removes the numbers of a view's method. Action View makes its name of the template's path, the
/// hash of that path and the number of an object: `_app_views_posts_show_html_erb__123_456`. The
/// hash may be negative: its sign is a third underscore.
fn without_view_numbers(label: &str) -> &str {
    let name = label.rfind(['#', '.', ' ']).map_or(0, |at| at + 1);
    let numberless = |text: &str| {
        let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
        (digits > 0).then_some(text.len() - digits)
    };
    let stripped = || {
        let object = label[..numberless(label)?].strip_suffix('_')?;
        let hash = &object[..numberless(object)?];
        hash.strip_suffix("___").or_else(|| hash.strip_suffix("__"))
    };
    match stripped() {
        Some(plain) if plain.len() > name + 1 && label[name..].starts_with('_') => plain,
        _ => label,
    }
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn addresses() {
        for (label, plain) in [
            ("#<Class:0x00007f3a5c0d1e28>#call", "#<Class>#call"),
            ("block in #<Class:#<Shop:0x000071>>.open", "block in #<Class:#<Shop>>.open"),
            ("#<Module:0xab>::Part#run", "#<Module>::Part#run"),
            ("#<Class:0x1>::#<Class:0x2>#a", "#<Class>::#<Class>#a"),
        ] {
            assert_eq!(plain_name(label), plain);
        }
    }

    #[test]
    fn methods_of_views() {
        let plain = "_app_views_posts_show_html_erb";
        for numbers in ["__2838204827394_16260", "___2838204827394_16260"] {
            assert_eq!(plain_name(&format!("{plain}{numbers}")), plain);
            let block = format!("block (2 levels) in #<Class:0x00007f>#{plain}{numbers}");
            assert_eq!(plain_name(&block), format!("block (2 levels) in #<Class>#{plain}"));
        }
    }

    #[test]
    fn all_else_stays() {
        for label in [
            "",
            "Shop#total",
            "<main>",
            "Hash#[]",
            "a:0x",
            "a:0xyz>",
            "#<Class:0x",
            "Sha#digest__1_2",
            "_1_2",
            "___1_2",
            "_a_1_2",
            "_views__1",
            "_views__1_",
            "Object#at_2024_11",
        ] {
            assert_eq!(plain_name(label), label);
        }
    }
}
