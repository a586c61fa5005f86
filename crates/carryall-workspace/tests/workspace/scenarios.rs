//! Every scenario of `path-vectors.json` has its test.

#[derive(serde::Deserialize)]
struct Scenarios {
    races: Vec<Scenario>,
}

#[derive(serde::Deserialize)]
struct Scenario {
    id: String,
}

#[test]
fn every_scenario_is_a_test() {
    let scenarios: Scenarios = serde_json::from_str(include_str!("../path-vectors.json")).unwrap();
    assert_eq!(scenarios.races.len(), 19);
    let list = std::process::Command::new(std::env::current_exe().unwrap()).arg("--list").output();
    let list = String::from_utf8(list.unwrap().stdout).unwrap();
    for Scenario { id } in scenarios.races {
        let name = format!("::{}", id.replace('-', "_"));
        assert!(list.contains(&name), "no test for {id}");
    }
}
