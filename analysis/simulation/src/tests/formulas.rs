//! Formulas that are shown say what was computed: each is evaluated over its inputs and compared.

use crate::StageCost;

use super::kernels::right_kernels;

/// Evaluates sums, differences, products, quotients, `ceil(a / b)` and `max(a, b)` over names and numbers.
struct Evaluation<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    inputs: &'a [(&'static str, u64)],
}

fn evaluate(stage: &StageCost) -> Option<f64> {
    let mut tokens = Vec::new();
    let mut rest = stage.formula.trim_start();
    while !rest.is_empty() {
        let word = rest
            .find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .unwrap_or(rest.len());
        let (token, behind) = rest.split_at(word.max(1));
        tokens.push(token);
        rest = behind.trim_start();
    }
    let mut evaluation = Evaluation {
        tokens,
        at: 0,
        inputs: &stage.inputs,
    };
    let value = evaluation.sum()?;
    (evaluation.at == evaluation.tokens.len()).then_some(value)
}

impl Evaluation<'_> {
    fn next_is(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at) == Some(&token);
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            if self.next_is("+") {
                value += self.product()?;
            } else if self.next_is("-") {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.factor()?;
        loop {
            if self.next_is("*") {
                value *= self.factor()?;
            } else if self.next_is("/") {
                value /= self.factor()?;
            } else {
                return Some(value);
            }
        }
    }

    fn factor(&mut self) -> Option<f64> {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        if token == "(" {
            let value = self.sum()?;
            return self.next_is(")").then_some(value);
        }
        if self.next_is("(") {
            let mut value = self.sum()?;
            match token {
                "ceil" => value = value.ceil(),
                "max" if self.next_is(",") => value = value.max(self.sum()?),
                _ => return None,
            }
            return self.next_is(")").then_some(value);
        }
        if let Ok(number) = token.parse() {
            return Some(number);
        }
        let input = self.inputs.iter().find(|(name, _)| *name == token)?;
        u32::try_from(input.1).ok().map(f64::from)
    }
}

#[test]
fn the_formula_of_every_stage_of_a_pass_gives_its_cycles() {
    let mut formulas = std::collections::BTreeSet::new();
    for (file, function) in right_kernels() {
        for cost in function
            .simulation
            .operations
            .iter()
            .filter(|cost| cost.dma.is_none())
        {
            for stage in &cost.stages {
                let shown = format!("{file}: {}: {stage:?}", function.body.name);
                let busy = stage.busy.and_then(|busy| u32::try_from(busy).ok());
                assert_eq!(evaluate(stage), busy.map(f64::from), "{shown}");
                assert!(!stage.heading.is_empty(), "{shown}");
                formulas.insert((stage.engine, stage.formula));
            }
        }
    }
    assert!(formulas.len() >= 11, "{formulas:?}");
}

#[test]
fn a_formula_that_lies_is_found() {
    let mut stage = StageCost {
        engine: crate::Engine::Fetch,
        stage: Some(0),
        busy: Some(6),
        scheduled: None,
        latency: 0,
        formula: "time * ceil(packet / fetch_size)",
        inputs: vec![("time", 2), ("packet", 40), ("fetch_size", 16)],
        detail: String::new(),
        heading: "Batching",
    };
    assert_eq!(evaluate(&stage), Some(6.0));
    stage.formula = "time + max(packet, 3) * (fetch_size - 1)";
    assert_eq!(evaluate(&stage), Some(602.0));
    stage.formula = "time * flits";
    assert_eq!(evaluate(&stage), None);
}
