//! Light colours, on which dark text can be read.

use crate::Rgb;

/// From blue over green and yellow to red, along the offsets of a picture.
pub(super) fn of_offset(offset: i64, (least, most): (i64, i64)) -> Rgb {
    let span = (i128::from(most) - i128::from(least)).max(1) as f64;
    let part = (i128::from(offset) - i128::from(least)) as f64 / span;
    from_hue(220.0 * (1.0 - part), 0.80)
}

/// A colour for each bank: around the circle once, every second one darker.
pub(super) fn of_bank(bank: u32) -> Rgb {
    let lightness = if bank.is_multiple_of(2) { 0.82 } else { 0.70 };
    from_hue(f64::from(bank) * 360.0 / 32.0, lightness)
}

/// A colour for each thread: neighbours lie far apart on the circle.
pub(super) fn of_thread(thread: i64) -> Rgb {
    // 137° is near the golden angle and prime to 360: 360 threads until a colour comes again.
    let turn = (thread.rem_euclid(360) * 137).rem_euclid(360);
    from_hue(turn as f64, 0.80)
}

/// A colour of the circle, of saturation 0.75.
fn from_hue(degrees: f64, lightness: f64) -> Rgb {
    let chroma = (1.0 - (2.0 * lightness - 1.0).abs()) * 0.75;
    let channel = |shift: f64| {
        // The distance from the channel's own hue, in sixths of the circle, 0 to 3.
        let sixths = (degrees + shift).rem_euclid(360.0) / 60.0;
        let distance = if sixths > 3.0 { 6.0 - sixths } else { sixths };
        let strength = (2.0 - distance).clamp(0.0, 1.0);
        let value = lightness + chroma * (strength - 0.5);
        (value.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    Rgb(channel(0.0), channel(240.0), channel(120.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_primary_hues_lead_in_their_channel() {
        let Rgb(red, green, blue) = from_hue(0.0, 0.5);
        assert!(red > green && green == blue, "{red} {green} {blue}");
        let Rgb(red, green, blue) = from_hue(120.0, 0.5);
        assert!(green > red && red == blue, "{red} {green} {blue}");
        let Rgb(red, green, blue) = from_hue(240.0, 0.5);
        assert!(blue > red && red == green, "{red} {green} {blue}");
    }

    #[test]
    fn banks_and_the_first_threads_differ() {
        let banks: Vec<Rgb> = (0..32).map(of_bank).collect();
        let threads: Vec<Rgb> = (0..64).map(of_thread).collect();
        for colours in [banks, threads] {
            for (i, colour) in colours.iter().enumerate() {
                assert!(!colours[..i].contains(colour), "{i} {colour:?}");
            }
        }
    }

    #[test]
    fn offsets_at_the_ends_of_64_bits_have_colours() {
        let range = (i64::MIN, i64::MAX);
        assert_ne!(of_offset(i64::MIN, range), of_offset(i64::MAX, range));
        assert_eq!(of_offset(5, (5, 5)), of_offset(7, (7, 7)));
    }
}
