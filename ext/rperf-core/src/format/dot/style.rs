//! Sizes and colours for weights.

/// Size of text in points in boxes without self time, and what the box with most self time adds.
const FONT: f64 = 8.0;
const FONT_RANGE: f64 = 24.0;

/// Width that is added to an arrow for the whole total.
const PEN_RANGE: f64 = 6.0;

/// Colours for a share of 0 (grey) and of 1 (red), as red, green and blue.
const NOTHING: [f64; 3] = [237.0, 237.0, 237.0];
const EVERYTHING: [f64; 3] = [233.0, 94.0, 80.0];

/// Returns the size of text in points for a share of the largest self time, 0 to 1.
///
/// The size grows with the square root, so that areas grow with the time.
pub(super) fn font_size(share: f64) -> f64 {
    FONT + FONT_RANGE * share.sqrt()
}

/// Returns the width of an arrow for a share of the total, 0 to 1.
pub(super) fn pen_width(share: f64) -> f64 {
    1.0 + PEN_RANGE * share
}

/// Returns the colour of a box for a share of the total, 0 to 1.
pub(super) fn fill(share: f64) -> String {
    colour(share, 1.0)
}

/// Returns the colour of an arrow: that of a box, but darker, since lines are thin.
pub(super) fn line(share: f64) -> String {
    colour(share, 0.7)
}

fn colour(share: f64, light: f64) -> String {
    let mix = |index: usize| {
        let value = NOTHING[index] + (EVERYTHING[index] - NOTHING[index]) * share.sqrt();
        (value * light).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_with_the_share() {
        assert_eq!([0.0, 0.25, 1.0].map(font_size), [8.0, 20.0, 32.0]);
        assert_eq!([0.0, 0.5, 1.0].map(pen_width), [1.0, 4.0, 7.0]);
        assert_eq!([0.0, 1.0].map(fill), ["#ededed", "#e95e50"]);
        assert_eq!(line(0.0), "#a6a6a6");
    }
}
