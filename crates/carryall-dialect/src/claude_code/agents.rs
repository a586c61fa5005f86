//! The subagents of a session: files beside it or below its own folder, or side chains in it.

use super::index::Task;
use super::lenient::Word;
use super::session::Session;
use super::store;
use crate::rows;
use crate::source::Source;
use crate::title;
use carryall_model::{Child, OpenError, Transcript};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A side file larger than this is no side file.
const META_LIMIT: u64 = 1 << 20;

/// How much of an agent's file is read to learn whose it is.
const HEAD: usize = 64 * 1024;

/// The subagent that each call started, by the call's id.
#[derive(Clone, Debug, Default)]
pub(super) struct Started(HashMap<String, String>);

impl Started {
    /// The id of the subagent session that a call started.
    pub(super) fn by(&self, call: &str) -> Option<&str> {
        self.0.get(call).map(String::as_str)
    }
}

/// The subagents of one session, in the order in which they were started.
#[derive(Debug, Default)]
pub(super) struct Agents {
    pub(super) children: Vec<Child>,
    places: Vec<Place>,
    pub(super) started: Started,
}

#[derive(Clone, Debug)]
enum Place {
    File(PathBuf),
    Inline(usize),
}

impl Agents {
    /// The files of those that have their own.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.places.iter().filter_map(|place| match place {
            Place::File(path) => Some(path.as_path()),
            Place::Inline(_) => None,
        })
    }

    /// Opens one of them.
    pub(super) fn open(&self, number: usize, parent: &Session) -> Result<Session, OpenError> {
        let missing = OpenError::NoSuchChild { number };
        match self.places.get(number) {
            None => Err(missing),
            Some(Place::File(path)) => Session::open(path, parent.shared.authority),
            Some(Place::Inline(chain)) => parent.side_chain(*chain).ok_or(missing),
        }
    }
}

/// What an agent's side file says.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta<'a> {
    #[serde(borrow)]
    tool_use_id: Word<'a>,
    #[serde(borrow)]
    parent_agent_id: Word<'a>,
    #[serde(borrow)]
    description: Word<'a>,
}

/// What the first row of a side chain says about its id.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Root<'a> {
    #[serde(borrow)]
    agent_id: Word<'a>,
    #[serde(borrow)]
    uuid: Word<'a>,
}

impl Root<'_> {
    /// The id of the side chain that begins with a row.
    pub(super) fn parse(row: &[u8], repaired: &mut Vec<u8>) -> Option<String> {
        let root: Root<'_> = rows::parse(row, repaired).ok()?.value;
        let agent = root.agent_id.filled().map(|agent| format!("agent-{agent}"));
        agent.or_else(|| root.uuid.filled().map(str::to_owned))
    }
}

/// A subagent that was found.
struct Agent {
    child: Child,
    place: Place,
    started_at: Option<String>,
    opening: u64,
    description: Option<String>,
    parent: Option<String>,
    /// The agents that it started itself.
    starts: HashSet<String>,
}

/// Finds the subagents of a session.
pub(super) fn find(session: &Session) -> Agents {
    let own = session.conversation.facts.id.clone();
    let is_agent = store::agent_id(session.shared.source.path()).is_some();
    let mut agents: Vec<Agent> = Vec::new();
    for path in files(session) {
        let Some(agent) = named(&path, session).filter(|agent| agent.child.id != own) else {
            continue;
        };
        // Only a main session has to know all of them, to tell whose each is.
        if !is_agent || is_mine(&agent, &own, &session.shared.tasks) {
            agents.push(opened(agent, session, &path));
        }
    }
    agents.extend(session.inline.iter().enumerate().map(|(n, chain)| Agent {
        child: Child {
            id: chain.facts.id.clone(),
            title: chain.facts.title.clone(),
            tool_call_id: None,
            message_count: chain.facts.message_count,
        },
        place: Place::Inline(n),
        started_at: chain.facts.started_at.clone(),
        opening: chain.opening,
        description: None,
        parent: None,
        starts: HashSet::new(),
    }));
    let mut tasks: Vec<Task> = session.shared.tasks.clone();
    name_agents(&mut agents, &mut tasks);
    if !is_agent {
        leave_nested(&mut agents);
    }
    agents.sort_by(|a, b| order(a).cmp(&order(b)));
    let started = tasks.into_iter().filter_map(|task| Some((task.call, session_id(&task.agent?))));
    Agents {
        started: Started(started.collect()),
        places: agents.iter().map(|agent| agent.place.clone()).collect(),
        children: agents.into_iter().map(|agent| agent.child).collect(),
    }
}

fn order(agent: &Agent) -> (bool, Option<&str>, &str) {
    (agent.started_at.is_none(), agent.started_at.as_deref(), &agent.child.id)
}

fn session_id(agent: &str) -> String {
    // The id of a side chain without an agent id is the id of its first row.
    if agent.starts_with("agent-") || store::is_uuid(agent) {
        agent.to_owned()
    } else {
        format!("agent-{agent}")
    }
}

/// Joins agents and calls: by the side file, by the call's result, else by the prompt.
fn name_agents(agents: &mut [Agent], tasks: &mut [Task]) {
    for agent in agents.iter_mut() {
        let id = agent.child.id.clone();
        let call = agent.child.tool_call_id.clone();
        let by_call = || tasks.iter().position(|task| call.as_ref() == Some(&task.call));
        let names = |task: &Task| task.agent.as_deref().map(session_id).as_ref() == Some(&id);
        let by_result = || tasks.iter().position(names);
        let asks = |task: &Task| {
            task.agent.is_none() && agent.opening != 0 && task.prompt == agent.opening
        };
        let by_prompt = || tasks.iter().position(asks);
        let Some(at) = by_call().or_else(by_result).or_else(by_prompt) else { continue };
        let task = &mut tasks[at];
        task.agent = Some(id);
        agent.child.tool_call_id = Some(task.call.clone());
        let about = agent.description.as_ref().or(task.description.as_ref());
        if let Some(about) = about {
            agent.child.title = Some(title::one_line(about));
        }
    }
}

/// Whether an agent was started by the agent `own`, which made these calls.
fn is_mine(agent: &Agent, own: &str, tasks: &[Task]) -> bool {
    let call = agent.child.tool_call_id.as_deref();
    let named =
        |task: &Task| task.agent.as_deref().map(session_id).as_ref() == Some(&agent.child.id);
    agent.parent.as_deref() == Some(own)
        || tasks.iter().any(|task| call == Some(&task.call) || named(task))
}

/// Leaves those that no other agent started. Agents that started each other in a circle are nobody's
/// but the session's: they stay too, so that none is lost.
fn leave_nested(agents: &mut Vec<Agent>) {
    let ids: HashSet<String> = agents.iter().map(|agent| agent.child.id.clone()).collect();
    let mut starters: HashMap<String, String> = HashMap::new();
    for agent in agents.iter() {
        let id = &agent.child.id;
        starters.extend(agent.starts.iter().map(|started| (started.clone(), id.clone())));
        if let Some(parent) = agent.parent.as_ref().filter(|parent| ids.contains(*parent)) {
            starters.insert(id.clone(), parent.clone());
        }
    }
    let count = agents.len();
    agents.retain(|agent| {
        let line = std::iter::successors(starters.get(&agent.child.id), |id| starters.get(*id));
        // A line of starters longer than there are agents is a circle.
        !(1..=count).contains(&line.take(count + 1).count())
    });
}

/// The files that may be agents of a session.
fn files(session: &Session) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let below = session.shared.spills.folder.join("subagents");
    store::agents_below(&below, &mut |path, _| files.push(path));
    if files.is_empty() && !below.is_dir() {
        files = siblings(session);
    }
    files.sort();
    files
}

/// Agents of older versions stand beside their session and name it in their rows.
fn siblings(session: &Session) -> Vec<PathBuf> {
    let facts = &session.conversation.facts;
    let is_agent = store::agent_id(session.shared.source.path()).is_some();
    let Some(root) = (if is_agent { facts.parent_id.as_ref() } else { Some(&facts.id) }) else {
        return Vec::new();
    };
    let Some(folder) = session.shared.source.path().parent() else { return Vec::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    paths
        .filter(|path| store::agent_id(path).is_some())
        .filter(|path| session_of(path, session).as_ref() == Some(root))
        .collect()
}

/// The session that the first row of a file names.
fn session_of(path: &Path, session: &Session) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Named<'a> {
        #[serde(borrow)]
        session_id: Word<'a>,
    }
    let source = Source::open(path, session.shared.authority).ok()?;
    let mut head = vec![0; HEAD];
    let size = source.read_at(&mut head, 0).ok()?;
    let row = head[..size].split(|&b| b == b'\n').next()?;
    if let Ok(named) = serde_json::from_slice::<Named<'_>>(row) {
        return named.session_id.filled().map(str::to_owned);
    }
    // A first row that is longer than the head: the field stands in front of the message.
    let mark = b"\"sessionId\":\"";
    let at = memchr::memmem::find(row, mark)? + mark.len();
    let id = row[at..].split(|&b| b == b'"').next()?;
    String::from_utf8(id.to_vec()).ok()
}

/// What a file's name and its side file tell.
fn named(path: &Path, session: &Session) -> Option<Agent> {
    let mut agent = Agent {
        child: Child { id: store::agent_id(path)?, ..Child::default() },
        place: Place::File(path.to_owned()),
        started_at: None,
        opening: 0,
        description: None,
        parent: None,
        starts: HashSet::new(),
    };
    read_meta(path, session, &mut agent);
    Some(agent)
}

/// The same agent with what its rows tell; a file that cannot be read is listed all the same.
fn opened(mut agent: Agent, session: &Session, path: &Path) -> Agent {
    let Ok(opened) = Session::open(path, session.shared.authority) else { return agent };
    let facts = opened.facts();
    let title = agent.child.title.take().or(facts.title.clone());
    let tool_call_id = agent.child.tool_call_id.take();
    let id = agent.child.id;
    agent.child = Child { id, title, tool_call_id, message_count: facts.message_count };
    agent.started_at = facts.started_at.clone();
    agent.opening = opened.conversation.opening;
    let starts = opened.shared.tasks.iter().filter_map(|task| task.agent.as_deref());
    agent.starts = starts.map(session_id).collect();
    agent
}

fn read_meta(path: &Path, session: &Session, agent: &mut Agent) {
    let path = path.with_extension("meta.json");
    let Ok(source) = Source::open(&path, session.shared.authority) else { return };
    if source.len() > META_LIMIT {
        return;
    }
    let mut bytes = vec![0; source.len() as usize];
    let size = source.read_at(&mut bytes, 0).unwrap_or(0);
    let Ok(meta) = serde_json::from_slice::<Meta<'_>>(&bytes[..size]) else { return };
    agent.child.tool_call_id = meta.tool_use_id.filled().map(str::to_owned);
    agent.parent = meta.parent_agent_id.filled().map(session_id);
    if let Some(about) = meta.description.filled() {
        agent.child.title = Some(title::one_line(about));
        agent.description = Some(about.to_owned());
    }
}
