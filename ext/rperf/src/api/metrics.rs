//! Metrics of this process.

use magnus::{Error, Object, RArray, RModule, Ruby, function};
use rperf_core::collect::DropCause;
use rperf_core::format::{Family, Metrics};
use rperf_core::time::Nanos;

use crate::session::{self, ledgers};
use crate::vm::without_gvl::without_gvl;

/// Family of metrics of the program: name, kind, unit, help, and samples. A sample has labels,
/// pairs of key and value, and its own value.
type Given = (String, String, String, String, Vec<(Vec<(String, String)>, f64)>);

/// Defines the methods.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("metrics", function!(metrics, 3))
}

/// `Rperf::Native.metrics(open, worker, families)`: returns the text, in OpenMetrics or in
/// Prometheus' format, of the given families, `[name, kind, unit, help, [[labels, value], ...]]`,
/// of the times and losses of rperf itself, and of the ledger of units of work.
fn metrics(ruby: &Ruby, is_open: bool, worker: String, families: RArray) -> Result<String, Error> {
    let given: Vec<Given> = families.to_vec()?;
    let (totals, ledger) = (session::totals(ruby), ledgers::all());
    without_gvl(ruby, || {
        let mut metrics = Metrics::new(is_open, &worker);
        for (name, kind, unit, help, samples) in &given {
            let family = Family { name, kind, unit, help };
            metrics.family(&family);
            for (labels, value) in samples {
                let labels: Vec<_> =
                    labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
                metrics.sample(&family, &labels, *value);
            }
        }
        time(&mut metrics, "rperf_sampling_seconds", "CPU time that takes samples.", totals.sampling_time);
        time(
            &mut metrics,
            "rperf_hook_seconds",
            "What hooks take of the program's threads.",
            totals.hook_time,
        );
        let (name, help) = ("rperf_samples_dropped", "Samples that were lost.");
        let family = Family { name, kind: "counter", unit: "", help };
        metrics.family(&family);
        for (cause, name) in DropCause::ALL {
            metrics.sample(&family, &[("cause", name)], totals.drops.count(cause) as f64);
        }
        metrics.ledger(&ledger);
        metrics.finish()
    })
}

fn time(metrics: &mut Metrics, name: &str, help: &str, time: Nanos) {
    let family = Family { name, kind: "counter", unit: "seconds", help };
    metrics.family(&family);
    metrics.sample(&family, &[], time.0 as f64 / 1e9);
}
