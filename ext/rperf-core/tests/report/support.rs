//! Reports about a small profile, with its sources.

use hashbrown::HashMap;
use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Profile};
use rperf_core::report::{Report, ReportError, ReportOptions, SourceText, Subject, Surroundings, View};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::fixture::{frame, meta};
use crate::written::{Written, write_report};

/// The source of [`shop`].
pub const SHOP: &str = "\
class Shop
  def total
    @items.sum { |item| price(item) }
  end

  def price(item)
    item * 3
  end
end
Shop.new.total
";

/// 100 ms of a program: a method, a block in it, a method called from there, recursion, a C method
/// and another file.
pub fn shop() -> Profile {
    let mut builder = Builder::new(meta(Mode::Cpu));
    let main = frame(&mut builder, "app/shop.rb", "<main>", 1, 10);
    let total = frame(&mut builder, "app/shop.rb", "Shop#total", 2, 3);
    let sum = frame(&mut builder, "<C method>", "Array#sum", 0, 0);
    let block = frame(&mut builder, "app/shop.rb", "block in Shop#total", 3, 3);
    let price = frame(&mut builder, "app/shop.rb", "Shop#price", 6, 7);
    let other = frame(&mut builder, "/gems/tax/tax.rb", "Tax#add", 20, 22);
    let mut push = |stack: &[_], millis: u64| {
        builder.push(stack, Nanos(millis * 1_000_000), millis, ThreadSeq(1), LabelSetId(0));
    };
    push(&[price, block, sum, total, main], 40);
    push(&[price, price, block, sum, total, main], 10);
    push(&[other, price, block, sum, total, main], 20);
    push(&[block, sum, total, main], 20);
    push(&[sum, total, main], 5);
    push(&[main], 5);
    builder.build()
}

/// Options for a view, all else as it is by default.
pub fn view(view: View) -> ReportOptions {
    ReportOptions { view, ..ReportOptions::default() }
}

/// The report with the sources that are there.
pub fn write(profile: &Profile, options: &ReportOptions) -> Result<Written, ReportError> {
    let report = Report::parse(options).expect("the options make sense");
    let source = SourceText::Text { text: SHOP.to_owned(), changed: false };
    let gone = SourceText::Missing("there is no such file here".to_owned());
    let sources = HashMap::from([("app/shop.rb".to_owned(), source), ("/gems/tax/tax.rb".to_owned(), gone)]);
    write_report(&report, &Subject::profile(profile), Surroundings { started: None, sources })
}

/// The text of the report.
pub fn text(profile: &Profile, options: &ReportOptions) -> String {
    write(profile, options).expect("the profile is sound").text
}
