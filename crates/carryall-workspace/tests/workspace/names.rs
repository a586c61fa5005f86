//! Generated names (U16, U30) when many are taken.

use crate::scratch::{STEM, Scratch, export, names};

#[test]
fn u16_the_stem_is_the_callers_and_the_extension_follows() {
    use carryall_workspace::Name;
    let scratch = Scratch::in_memory();
    let workspace = scratch.workspace();
    let stem = "carryall-export-2026-09-06T12-34-56Z";
    for (extension, expected) in [("md", ".md"), ("jsonl", ".jsonl"), ("md", "-2.md")] {
        let name = Name::Generated { stem, extension };
        let staged = workspace.stage(workspace.target("").unwrap(), name, &[]).unwrap();
        let written = staged.commit().unwrap();
        assert_eq!(written.path.to_str(), Some(format!("{stem}{expected}").as_str()));
    }
}

#[test]
fn u30_taken_names_get_a_suffix_and_nothing_is_lost() {
    use carryall_workspace::Name;
    use std::io::Write as _;
    let scratch = Scratch::in_memory();
    scratch.file("root/carryall-export-T.md", "one");
    let workspace = scratch.workspace();
    // Both look before either is written.
    let mut staged = ["two", "three"].map(|text| {
        let name = Name::Generated { stem: STEM, extension: "md" };
        let target = workspace.target("").unwrap();
        (text, workspace.stage(target, name, &[]).unwrap())
    });
    for (text, staged) in &mut staged {
        staged.write_all(text.as_bytes()).unwrap();
    }
    let paths = staged.map(|(_, staged)| staged.commit().unwrap().path);
    assert_eq!(
        paths.map(|path| path.to_str().unwrap().to_owned()),
        ["carryall-export-T-2.md", "carryall-export-T-3.md"]
    );
    let read = |name: &str| std::fs::read_to_string(scratch.root().join(name)).unwrap();
    let all = ["carryall-export-T.md", "carryall-export-T-2.md", "carryall-export-T-3.md"];
    assert_eq!(all.map(read), ["one", "two", "three"]);

    let written = export(&workspace, "carryall-export-T-2.md", b"again").unwrap();
    assert!(written.replaced);
    assert_eq!(all.map(read), ["one", "again", "three"]);
}

fn take(scratch: &Scratch, numbers: impl Iterator<Item = u32>) {
    for number in numbers {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        std::fs::write(scratch.root().join(format!("{STEM}{suffix}.md")), "").unwrap();
    }
}

#[test]
fn thousands_of_taken_names_are_leapt_over() {
    let scratch = Scratch::in_memory();
    take(&scratch, 1..=5000);
    let workspace = scratch.workspace();
    for next in 5001..=5020 {
        let written = export(&workspace, "", b"text").unwrap();
        assert_eq!(written.path.to_str(), Some(format!("{STEM}-{next}.md").as_str()));
    }
    assert_eq!(names(&scratch.root()).len(), 5020);
}

#[test]
fn the_thousandth_name_is_still_the_lowest_free_one() {
    let scratch = Scratch::in_memory();
    take(&scratch, (1..=3000).filter(|&number| number != 1000 && number != 2500));
    let workspace = scratch.workspace();
    let next = || export(&workspace, "", b"text").unwrap().path;
    assert_eq!(next().to_str(), Some(format!("{STEM}-1000.md").as_str()));
    // Beyond a thousand any free number with a taken one before it will do: 2500 or 3001.
    let chosen = next().to_str().unwrap().to_owned();
    assert!([2500, 3001].map(|number| format!("{STEM}-{number}.md")).contains(&chosen), "{chosen}");
}

#[test]
fn a_generated_name_that_cannot_take_its_suffix_is_refused() {
    use carryall_workspace::Name;
    let scratch = Scratch::in_memory();
    let stem = "s".repeat(252);
    std::fs::write(scratch.root().join(format!("{stem}.md")), "").unwrap();
    let name = Name::Generated { stem: &stem, extension: "md" };
    let workspace = scratch.workspace();
    let staged = workspace.stage(workspace.target("").unwrap(), name, &[]).unwrap();
    assert_eq!(staged.commit().unwrap_err().kind().word(), "name-too-long");
    assert_eq!(names(&scratch.root()).len(), 1);
}
