//! The search for a free number behind a generated name.

/// How many numbers are tried one by one before the search begins to leap.
const LINEAR: u64 = 1000;

/// Claims the first free number, counting from 1.
///
/// `claim` takes a number if it is free, in one step, and says whether it got it; `taken` only
/// looks. The first thousand are claimed one by one, so that the lowest free number wins. Beyond
/// that the steps double until one is free, and halve down to a free number whose predecessor is
/// taken: thousands of exports under one name cost tens of looks each, and numbers that several
/// processes claim at once still have no gap.
///
/// # Errors
///
/// Whatever `claim` or `taken` answer.
pub(crate) fn claim_free<E>(
    mut claim: impl FnMut(u64) -> Result<bool, E>,
    mut taken: impl FnMut(u64) -> Result<bool, E>,
) -> Result<u64, E> {
    let mut last_taken = 0;
    loop {
        for number in last_taken + 1..=last_taken + LINEAR {
            if claim(number)? {
                return Ok(number);
            }
        }
        last_taken += LINEAR;
        let mut free = last_taken * 2;
        while taken(free)? {
            last_taken = free;
            free *= 2;
        }
        while free - last_taken > 1 {
            let middle = last_taken + (free - last_taken) / 2;
            match taken(middle)? {
                true => last_taken = middle,
                false => free = middle,
            }
        }
        // `free` is claimed first in the next round; whoever was faster only moves us on by one.
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeSet;
    use std::convert::Infallible;

    use super::*;

    /// The number found and how many questions it took.
    fn search(taken: &BTreeSet<u64>) -> (u64, usize) {
        let asked = Cell::new(0);
        let ask = |number| {
            asked.set(asked.get() + 1);
            Ok::<_, Infallible>(taken.contains(&number))
        };
        let Ok(found) = claim_free(|number| ask(number).map(|taken| !taken), ask);
        (found, asked.get())
    }

    #[test]
    fn the_lowest_free_number_wins_among_the_first_thousand() {
        for free in [1, 2, 3, 500, 999, 1000] {
            let taken = (1..=5000).filter(|&number| number != free).collect();
            assert_eq!(search(&taken).0, free);
        }
    }

    #[test]
    fn beyond_a_thousand_the_search_leaps_to_the_end_of_the_run() {
        for last in [1000, 1001, 1999, 2000, 2001, 4096, 50_000, 1_000_000] {
            let (found, asked) = search(&(1..=last).collect());
            assert_eq!(found, last + 1);
            assert!(asked < 1050, "{asked} questions for {last}");
        }
    }

    #[test]
    fn a_number_behind_gaps_still_has_a_taken_predecessor() {
        let taken: BTreeSet<u64> = (1..=9000).filter(|number| number % 1337 != 0).collect();
        let (found, _) = search(&taken);
        assert!(!taken.contains(&found) && taken.contains(&(found - 1)), "{found}");
    }

    #[test]
    fn a_lost_claim_moves_on_without_a_gap() {
        // Whoever is faster takes each number in the instant between look and claim, five times.
        let taken = RefCell::new((1..=3000).collect::<BTreeSet<u64>>());
        let rivals = Cell::new(5);
        let claim = |number| {
            if rivals.get() > 0 && taken.borrow_mut().insert(number) {
                rivals.set(rivals.get() - 1);
            }
            Ok::<_, Infallible>(taken.borrow_mut().insert(number))
        };
        let Ok(found) = claim_free(claim, |number| Ok(taken.borrow().contains(&number)));
        assert_eq!(found, 3006);
    }
}
