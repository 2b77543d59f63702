//! The weight of commits by their age.

/// The weight of a commit by its age. Ages are measured from HEAD's commit, never from the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decay {
    /// The age in seconds at which the weight is one half; 0 or less for no decay.
    pub half_life_s: f64,
}

impl Decay {
    /// Two years.
    pub const DEFAULT: Decay = Decay { half_life_s: 2.0 * 365.25 * 86_400.0 };

    /// Returns the weight of a commit of this age, from 1 down to 0. A commit that is newer than
    /// HEAD has the weight of HEAD.
    pub fn of_age(self, age_s: i64) -> f64 {
        if self.half_life_s > 0.0 {
            (-(age_s.max(0) as f64) / self.half_life_s).exp2()
        } else {
            1.0
        }
    }
}
