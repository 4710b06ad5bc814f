//! Distances from the mean, in standard deviations and to both sides, that chance alone exceeds
//! with a given probability.

/// Returns the distance for a normally distributed value, to 0.0005 (Abramowitz and Stegun,
/// 26.2.23). `probability` is above 0 and at most 1.
pub(super) fn normal(probability: f64) -> f64 {
    let t = (-2.0 * (probability / 2.0).ln()).sqrt();
    let above = 2.515_517 + 0.802_853 * t + 0.010_328 * t * t;
    t - above / (1.0 + 1.432_788 * t + 0.189_269 * t * t + 0.001_308 * t * t * t)
}

/// Returns the distance for Student's t with `freedom` degrees of freedom, at least 1 (Wallace
/// 1959). It is never less than [`normal`], and too high with fewer than three degrees.
pub(super) fn student(probability: f64, freedom: f64) -> f64 {
    let z = normal(probability);
    let stretched = z * (8.0 * freedom + 3.0) / (8.0 * freedom + 1.0);
    // With infinite degrees, the difference below has no digits left.
    if freedom > 1e6 { z } else { (freedom * (stretched * stretched / freedom).exp_m1()).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_in_tables() {
        let tables = [(0.05, 1.960), (0.01, 2.576), (0.001, 3.291), (1e-6, 4.892), (1.0, 0.0)];
        for (probability, expected) in tables {
            assert!((normal(probability) - expected).abs() < 0.001, "{probability}");
            assert!((student(probability, f64::INFINITY) - expected).abs() < 0.001, "{probability}");
        }
        for (probability, freedom, expected) in
            [(0.05, 4.0, 2.776), (0.001, 4.0, 8.610), (0.001, 10.0, 4.587), (0.01, 100.0, 2.626)]
        {
            let found = student(probability, freedom) / expected;
            assert!((0.99..1.04).contains(&found), "{probability} {freedom}: {found}");
        }
        assert!(student(0.05, 1.0) > 12.7);
    }
}
