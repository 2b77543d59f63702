//! An answer depends neither on the order of questions nor on what is cached, also where a budget
//! does not suffice.

use codedb_model::program::{BUDGET, Found, Given, Loaded, Program, all};

/// Orders per program.
const ORDERS: usize = 1_000;

/// A generator of numbers that is the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("below a usize")
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

#[test]
fn answers_are_the_same_in_every_order_cold_and_warm_and_under_small_budgets() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let (mut asked, mut undecided, mut most) = (0, 0, 0);
    for program in all().expect("the programs can be read") {
        let loaded = Loaded::new(&program).expect("a language with rules");
        let resolver = loaded.resolver();
        let mut questions = loaded.questions();
        let cold = |budget: u64| -> std::collections::BTreeMap<_, Option<Given>> {
            let answer = |&of: &_| {
                resolver.forget();
                (of, loaded.ask(&resolver, of, budget))
            };
            questions.iter().map(answer).collect()
        };
        let whole = cold(BUDGET);
        let mut costs: Vec<u64> = whole.values().flatten().map(|given| given.cost).collect();
        costs.sort_unstable();
        most = most.max(costs.last().copied().unwrap_or(0));
        // Budgets with which some questions are answered and some are not.
        let budgets =
            [BUDGET, costs[costs.len() / 4], costs[costs.len() / 2], costs[costs.len() * 3 / 4]];
        let expected = budgets.map(cold);
        for order in 0..ORDERS {
            let which = order % budgets.len();
            numbers.shuffle(&mut questions);
            resolver.forget();
            // Half of the orders ask everything twice, and with another budget before.
            if order % 8 >= 4 {
                for &of in &questions {
                    loaded.ask(&resolver, of, budgets[numbers.below(budgets.len())]);
                }
            }
            for of in &questions {
                let given = loaded.ask(&resolver, *of, budgets[which]);
                asked += 1;
                undecided += usize::from(given.is_none());
                assert_eq!(
                    given, expected[which][of],
                    "{}/{} use {of:?}, order {order}, budget {}",
                    program.language, program.name, budgets[which]
                );
            }
        }
    }
    assert!(asked > 900_000 && undecided > 100_000, "{asked} asked, {undecided} undecided");
    assert!(most < BUDGET / 10, "the dearest question costs {most}");
}

/// Functions without written results that call each other at random: many cycles, of which each
/// member is unknown wherever it was entered.
fn tangle(numbers: &mut Numbers) -> Program {
    const FUNCTIONS: usize = 9;
    let mut facts = String::new();
    for class in ["A", "B"] {
        let results = (0..3)
            .map(|member| format!("fn m{member}() {{ return {} }}", value(numbers, FUNCTIONS, 2)));
        facts.push_str(&format!(
            "@1 class {class} {{ {} }}\n",
            results.collect::<Vec<_>>().join(" ")
        ));
    }
    for function in 0..FUNCTIONS {
        facts.push_str(&format!(
            "@1 fn f{function}() {{ return {} }}\n",
            value(numbers, FUNCTIONS, 3)
        ));
    }
    let text = format!("== source a.py\nx\n== facts a.py\n{facts}");
    Program::read("python", "tangle", &text).expect("a program in the text form")
}

fn value(numbers: &mut Numbers, functions: usize, depth: usize) -> String {
    let function = numbers.below(functions);
    match numbers.below(if depth == 0 { 3 } else { 6 }) {
        0 => "A()".to_string(),
        1 => "B()".to_string(),
        2 => format!("f{function}()"),
        3 | 4 => format!("{}.m{}()", value(numbers, functions, depth - 1), numbers.below(3)),
        _ => {
            let (one, other) =
                (value(numbers, functions, depth - 1), value(numbers, functions, depth - 1));
            format!("oneof({one}, {other})")
        }
    }
}

#[test]
fn cycles_have_the_same_members_wherever_they_are_entered() {
    let mut numbers = Numbers(0xD1B5_4A32_D192_ED03);
    let (mut known, mut unknown) = (0, 0);
    for round in 0..300 {
        let program = tangle(&mut numbers);
        let loaded = Loaded::new(&program).expect("a language with rules");
        let resolver = loaded.resolver();
        let mut questions = loaded.questions();
        for budget in [BUDGET, 40] {
            let cold: Vec<_> = questions
                .iter()
                .map(|&of| {
                    resolver.forget();
                    (of, loaded.ask(&resolver, of, budget))
                })
                .collect();
            for (_, given) in &cold {
                match given {
                    Some(Given { answer: Found::Links(..), .. }) => known += 1,
                    _ => unknown += 1,
                }
            }
            let cold: std::collections::BTreeMap<_, _> = cold.into_iter().collect();
            for _ in 0..20 {
                numbers.shuffle(&mut questions);
                resolver.forget();
                for of in &questions {
                    let given = loaded.ask(&resolver, *of, budget);
                    assert_eq!(
                        given, cold[of],
                        "round {round}, use {of:?}, budget {budget}\n{}",
                        program.text
                    );
                }
            }
        }
    }
    assert!(known > 5_000 && unknown > 1_000, "{known} known, {unknown} not");
}
