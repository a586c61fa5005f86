//! A list of things to do, as a call sets it: what is done, and what is being done.

use super::input::Field;
use super::summary::first_line;
use carryall_model::Text;
use serde::Deserialize;

/// The list.
pub(super) struct Todos<'a>(Vec<Item<'a>>);

/// One thing to do. Agents name it in their own ways.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    #[serde(borrow)]
    content: Option<Text<'a>>,
    #[serde(borrow)]
    step: Option<Text<'a>>,
    #[serde(borrow)]
    title: Option<Text<'a>>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
}

impl Item<'_> {
    fn text(&self) -> Option<&str> {
        [&self.content, &self.step, &self.title].into_iter().flatten().next().map(Text::as_str)
    }

    fn is(&self, status: &str) -> bool {
        self.status.as_ref().is_some_and(|it| it.as_str() == status)
    }

    fn mark(&self) -> &'static str {
        if self.is(DONE) {
            "[x]"
        } else if self.is(DOING) {
            "[>]"
        } else {
            "[ ]"
        }
    }
}

const DONE: &str = "completed";
const DOING: &str = "in_progress";

impl<'a> Todos<'a> {
    /// The first argument that is such a list; each item has a text and a status.
    pub(super) fn of(fields: &[Field<'a>]) -> Option<Self> {
        let whole = |items: &Vec<Item<'_>>| {
            let is_whole = |item: &Item<'_>| item.text().is_some() && item.status.is_some();
            !items.is_empty() && items.iter().all(is_whole)
        };
        fields.iter().find_map(|field| field.list().filter(whole)).map(Self)
    }

    /// How far it is: `1 of 2 done: what is being done`.
    pub(super) fn line(&self) -> String {
        let done = self.0.iter().filter(|item| item.is(DONE)).count();
        let line = format!("{done} of {} done", self.0.len());
        match self.0.iter().find(|item| item.is(DOING)).and_then(Item::text) {
            Some(text) => format!("{line}: {}", first_line(text)),
            None => line,
        }
    }

    /// The list as people write it, an item a line.
    pub(super) fn text(&self) -> String {
        let line = |item: &Item<'_>| format!("{} {}\n", item.mark(), item.text().unwrap_or(""));
        self.0.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::input;
    use super::*;
    use serde_json::value::RawValue;

    fn read(json: &str) -> Option<(String, String)> {
        let json = RawValue::from_string(json.to_owned()).unwrap();
        let todos = Todos::of(&input::fields(&json))?;
        Some((todos.line(), todos.text()))
    }

    #[test]
    fn a_list_says_how_far_it_is() {
        let (line, text) = read(
            r#"{"explanation":"so far","plan":[{"step":"Look","status":"completed"},
                {"step":"Mend\nit","status":"in_progress"},{"step":"Tell","status":"pending"}]}"#,
        )
        .unwrap();
        assert_eq!(line, "1 of 3 done: Mend …");
        assert_eq!(text, "[x] Look\n[>] Mend\nit\n[ ] Tell\n");
        let done =
            r#"{"todos":[{"id":"1","content":"Look","status":"completed","priority":"high"}]}"#;
        assert_eq!(read(done).unwrap().0, "1 of 1 done");
    }

    #[test]
    fn what_is_no_such_list_is_none() {
        for json in [
            r#"{"todos":[]}"#,
            r#"{"todos":["a"]}"#,
            r#"{"todos":[{"content":"a"}]}"#,
            r#"{"todos":[{"status":"completed"}]}"#,
            r#"{"todos":[{"content":1,"status":"completed"}]}"#,
            r#"{"todos":{"content":"a","status":"completed"}}"#,
        ] {
            assert_eq!(read(json), None, "{json}");
        }
    }
}
