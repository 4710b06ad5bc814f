//! Names without the parts that differ from one process to the next: addresses, and the numbers in
//! the names of view methods. So equal names mean the same in several workers, and before and after
//! a deploy.
//!
//! Action View's names of methods tell one view from another without their numbers. Those of a
//! gem's views begin with the place of the gem, which goes, too. Tilt's consist of nothing else:
//! the path of the view is their name.

use std::borrow::Cow;

use super::Function;
use super::model::is_file;
use super::roots::{Root, RootedPath};

impl Function {
    /// Returns the function with a name that means the same in other processes.
    pub(crate) fn plain(mut self) -> Self {
        if let Cow::Owned(plain) = plain_name(&self.label, &self.path) {
            let raw = std::mem::replace(&mut self.label, plain);
            if self.raw_label.is_empty() {
                self.raw_label = raw;
            }
        }
        self
    }

    /// Returns whether this is the method of a view, or a block in it: it is named by its file.
    pub(super) fn is_view(&self) -> bool {
        let name = self.label.rsplit('#').next().unwrap_or_default();
        name.starts_with('_') && view_method(&self.path).ends_with(name)
    }
}

/// Beginning of an address in a name, as in `#<Class:0x00007f3a5c0d1e28>#call`.
const ADDRESS: &str = ":0x";

/// Beginning of the names of methods that stand for keywords, as `core#undef_method` for `undef`.
/// Ruby's class that has them has no name (`Init_VM` in Ruby's vm.c).
const KEYWORD: &str = ".core#";

/// Beginning of the name of a method that Tilt makes of a template. A number follows.
const TILT: &str = "__tilt_";

/// Directory of views, in which their names begin.
const VIEWS: &str = "/views/";

/// Returns the name without addresses and numbers of views: `#<Class>#call`,
/// `_app_views_posts_show_html_erb`, `Tilt::CompiledTemplates#views/show.erb`. It is owned if it
/// differs from `label`. `path` is the path of the function.
pub(super) fn plain_name<'a>(label: &'a str, path: &str) -> Cow<'a, str> {
    if let Some(class) = before_tilt(label) {
        return Cow::Owned(without_addresses(class).into_owned() + template(path));
    }
    if let Some(at) = label.find(KEYWORD).filter(|_| label.starts_with("#<Class:0x")) {
        return Cow::Owned(label[at + 1..].to_owned());
    }
    let numberless = without_view_numbers(label);
    if let Some(plain) = in_gem(numberless, path) {
        return Cow::Owned(plain);
    }
    match without_addresses(numberless) {
        Cow::Borrowed(plain) if plain.len() < label.len() => Cow::Owned(plain.to_owned()),
        plain => plain,
    }
}

/// Returns what precedes the name of a method of Tilt; `None` if the name is another one.
fn before_tilt(label: &str) -> Option<&str> {
    let (class, number) = label.rsplit_once(TILT)?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && class.ends_with(['#', '.', ' '])).then_some(class)
}

/// Returns the name of a template with this path: the path from the directory of views on, or else
/// the file and its directory. What precedes may differ after a deploy.
fn template(path: &str) -> &str {
    if !is_file(path) || path.starts_with('(') {
        return TILT.trim_end_matches('_');
    }
    let directory = || path.rmatch_indices('/').nth(1);
    let before = path.rfind(VIEWS).or_else(|| directory().map(|(at, _)| at));
    before.map_or(path, |at| &path[at + 1..])
}

/// Returns the name of a gem's view with the path below the gem: Action View makes it of the whole
/// path. `None` if it is another name.
fn in_gem(name: &str, path: &str) -> Option<String> {
    name.find("#__")?; // The path begins with a slash.
    let place = RootedPath::of(path);
    let class = name.strip_suffix(&view_method(path)).filter(|_| matches!(place.root, Root::Gem { .. }))?;
    Some(without_addresses(class).into_owned() + &view_method(place.path))
}

/// Returns the name that Action View gives to the method of a view with this path.
fn view_method(path: &str) -> String {
    format!("_{}", path.replace(|letter: char| !letter.is_ascii_lowercase(), "_"))
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
            ("#<Class:0x00007f12>.core#undef_method", "core#undef_method"),
            ("#<Class:0x00007f12>.core", "#<Class>.core"),
        ] {
            assert_eq!(plain_name(label, "/srv/a.rb"), plain);
        }
    }

    #[test]
    fn methods_of_views() {
        let plain = "_app_views_posts_show_html_erb";
        for numbers in ["__2838204827394_16260", "___2838204827394_16260"] {
            assert_eq!(plain_name(&format!("{plain}{numbers}"), ""), plain);
            let block = format!("block (2 levels) in #<Class:0x00007f>#{plain}{numbers}");
            assert_eq!(plain_name(&block, ""), format!("block (2 levels) in #<Class>#{plain}"));
        }
    }

    #[test]
    fn methods_of_views_in_gems() {
        let path = "/b/gems/kaminari-core-1.2.2/app/views/kaminari/_Page.html.erb";
        let label =
            "block in #<Class:0x7f>#__b_gems_kaminari_core_______app_views_kaminari___age_html_erb__1_2";
        let plain = "block in #<Class>#_app_views_kaminari___age_html_erb";
        assert_eq!(plain_name(label, path), plain);
        assert_eq!(plain_name(plain, path), plain);
    }

    #[test]
    fn methods_of_templates() {
        let class = "Tilt::CompiledTemplates#";
        for (path, name) in [
            ("/srv/releases/7/views/a.erb", "views/a.erb"),
            ("/srv/views/shop/views/admin/a.haml", "views/admin/a.haml"),
            ("views/a.erb", "views/a.erb"),
            ("/srv/shop/app.rb", "shop/app.rb"),
            ("/a.erb", "/a.erb"),
            ("", "__tilt"),
            ("(__TEMPLATE__)", "__tilt"),
        ] {
            assert_eq!(plain_name(&format!("{class}__tilt_352"), path), format!("{class}{name}"));
        }
        let block = plain_name("block in #<Module:0x00007f>.__tilt_8", "/srv/views/a.erb");
        assert_eq!(block, "block in #<Module>.views/a.erb");
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
            "Object#__tilt_",
            "Object#__tilt_a1",
            "Object#x__tilt_1",
            "Tilt::CompiledTemplates#views/a.erb",
        ] {
            assert_eq!(plain_name(label, "/srv/views/a.erb"), label);
        }
    }
}
