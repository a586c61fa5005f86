//! What is known of a whole session.

/// What is known of a session without rendering it. There is no clock and no option in it, so two
/// readings of the same source give the same facts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The session's id.
    pub id: String,
    /// The title, on one line: the agent's own, else the beginning of the first prompt.
    pub title: Option<String>,
    /// The working directory that was recorded first.
    pub cwd: Option<String>,
    /// The branch that was recorded, or asked at export time where the agent records none.
    pub git_branch: Option<String>,
    /// The recorded commit.
    pub git_commit: Option<String>,
    /// The recorded address of the repository.
    pub git_origin_url: Option<String>,
    /// The model used last.
    pub model: Option<String>,
    /// All models in the order of their first use.
    pub models: Vec<String>,
    /// When the first row was recorded, as it stands in the source.
    pub started_at: Option<String>,
    /// When the last row was recorded, as it stands in the source.
    pub ended_at: Option<String>,
    /// The session that this one is a subagent or a fork of.
    pub parent_id: Option<String>,
    /// Message records of the conversation shown, before anything is trimmed.
    pub message_count: u64,
    /// Prompts that a person typed.
    pub user_turns: u64,
    /// Tokens of the session.
    pub token_usage: Option<TokenUsage>,
    /// What it cost in US dollars, when the agent recorded it.
    pub cost_usd: Option<f64>,
    /// The agent and file it comes from.
    pub source: Source,
    /// The approval and sandbox policy that was in force.
    pub policy: Option<Policy>,
    /// Branches of the conversation that exist and are not shown.
    pub other_branches: u64,
    /// Rows that could not be read, as far as the index saw.
    pub unreadable_rows: u64,
}

/// Where a session comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The dialect's name, such as `claude-code`.
    pub agent: Option<String>,
    /// The agent's version that wrote the last row.
    pub agent_version: Option<String>,
    /// The file or folder that was read.
    pub path: Option<String>,
}

/// What the agent was allowed to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// When it had to ask, in the agent's word.
    pub approval: Option<String>,
    /// What it could touch, in the agent's word.
    pub sandbox: Option<String>,
}

/// Tokens: `input_tokens` includes cache reads and writes, `output_tokens` includes reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// Tokens sent, cached ones included.
    pub input_tokens: u64,
    /// Tokens received, reasoning included.
    pub output_tokens: u64,
    /// The sum, or what the agent recorded as such.
    pub total_tokens: u64,
    /// The part of the input that was read from a cache.
    pub cached_input_tokens: Option<u64>,
    /// The part of the output that was reasoning.
    pub reasoning_tokens: Option<u64>,
}

impl TokenUsage {
    /// Nothing was counted.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.input_tokens == 0 && self.output_tokens == 0 && self.total_tokens == 0
    }

    /// Adds another count, without ever wrapping around.
    pub fn add(&mut self, other: &Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.total_tokens = self.total_tokens.saturating_add(other.total_tokens);
        self.cached_input_tokens = sum(self.cached_input_tokens, other.cached_input_tokens);
        self.reasoning_tokens = sum(self.reasoning_tokens, other.reasoning_tokens);
    }
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
    }
}
