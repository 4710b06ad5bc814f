//! Scales a profile to the total of another, so that shares can be compared where one run was
//! longer.

use super::{CombineError, Profile, check_alike};
use crate::time::Nanos;

impl Profile {
    /// Returns this profile with all weights scaled to sum to the total of `base`, as by pprof's
    /// `-normalize`: equal samples are merged, each weight is rounded, and samples that round to 0
    /// are left out. So are other values than the weights. A profile without weight keeps no
    /// samples. The totals are those without idle time, which is left out later, unless
    /// `shows_idle`.
    pub fn normalised(&self, base: &Self, shows_idle: bool) -> Result<Self, CombineError> {
        check_alike([base, self].into_iter())?;
        let idle = if shows_idle { None } else { self.idle_beside(base) };
        let [before, after] = idle.map_or_else(Default::default, |both| both.map(|idle| idle.time.0));
        let (from, to) = (self.total().0 - after, base.total().0 - before);
        if from == to {
            return Ok(self.clone());
        }
        let mut scaled = self.merged().into_owned();
        scaled.keep_chosen();
        let ratio = if from == 0 { 0.0 } else { to as f64 / from as f64 };
        for sample in &mut scaled.samples {
            sample.weight = Nanos((sample.weight.0 as f64 * ratio).round() as u64);
        }
        for recording in &mut scaled.meta.recordings {
            recording.total = Nanos((recording.total.0 as f64 * ratio).round() as u64);
        }
        scaled.samples.retain(|sample| sample.weight > Nanos::ZERO);
        scaled.check().map_err(CombineError::Invalid)?;
        Ok(scaled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta, ValueType};

    fn profile(weights: &[u64]) -> Profile {
        let mut builder = Builder::new(Meta::default());
        for (line, weight) in (1..).zip(weights) {
            let function = builder.intern_function("a.rb", "a", 1);
            let location = builder.intern_location(function, line);
            builder.push(&[location], Nanos(*weight), 1, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    fn weights(target: &[u64], base: &[u64]) -> Vec<u64> {
        let scaled = profile(target).normalised(&profile(base), true).expect("they measure the same");
        scaled.samples.iter().map(|sample| sample.weight.0).collect()
    }

    #[test]
    fn scales_up_and_down() {
        assert_eq!(weights(&[10, 30], &[400]), [100, 300]);
        assert_eq!(weights(&[100, 300], &[4]), [1, 3]);
        assert_eq!(weights(&[1, 2], &[2, 1]), [1, 2]);
    }

    #[test]
    fn rounds_and_drops_what_is_nothing() {
        assert_eq!(weights(&[1, 100, 2], &[50]), [49, 1]);
        assert_eq!(weights(&[5], &[]), [0; 0]);
        assert_eq!(weights(&[], &[5]), [0; 0]);
    }

    #[test]
    fn totals_are_made_equal_as_they_are_without_idle_time() {
        use crate::profile::idle::tests::{BUSY, MS, profile};
        let waits = |ms| (2, "blocked Thread::Queue#pop run", ms, false);
        let base = profile(&[waits(900), BUSY]);
        let target = profile(&[waits(9_000), BUSY, (3, "work run", 1_500, false)]);
        let scaled = |shows_idle| target.normalised(&base, shows_idle).expect("they are alike");
        assert_eq!(scaled(true).total(), base.total());
        let (target, base) = scaled(false).folded(Some(&base)).expect("they have idle time");
        assert_eq!([target.total(), base.expect("it is folded").total()], [Nanos(500 * MS); 2]);
    }

    #[test]
    fn refuses_sums_that_do_not_fit() {
        let largest = i64::MAX as u64;
        let half = largest / 2;
        let scaled = profile(&[1; 2]).normalised(&profile(&[half, half + 1]), true);
        assert!(matches!(scaled, Err(CombineError::Invalid(_))), "{scaled:?}");
    }

    #[test]
    fn refuses_what_measures_something_else() {
        let mut bytes = profile(&[1]);
        bytes.meta.value_types = ValueType::new("alloc_space", "bytes").into();
        assert!(matches!(bytes.normalised(&profile(&[1]), true), Err(CombineError::ValueTypes { .. })));
    }
}
