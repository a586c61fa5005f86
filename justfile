# What CI runs, a verb each. `just` alone lists them.

_list:
    @just --list --unsorted

# All tests that can run here; what is absent (corpus) is said.
test *args:
    cargo test --workspace {{args}}

# Formatting, lints, licences.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo deny check licenses bans sources

# Write the golden files anew, then read the difference.
golden:
    CARRYALL_GOLDEN=write cargo test -p carryall-tests --test golden
    git diff --stat -- tests/fixtures

# The hostile tests in their long form: races, kills, crowds, each with its control.
hostile:
    CARRYALL_SWAPS=200000 CARRYALL_KILLS=200 CARRYALL_CROWDS=50 \
        cargo test -p carryall-workspace --test workspace -- --nocapture races kills crowds

# A fuzz target with coverage feedback, until stopped: grammar, prose, registry or resolver.
fuzz target *args:
    mkdir -p fuzz/target/corpus/{{target}} fuzz/artifacts
    cd fuzz && cargo run --release --locked --bin {{target}} -- -artifact_prefix=artifacts/ \
        -dict=dictionaries/{{target}}.dict {{args}} target/corpus/{{target}} corpus/{{target}}

# Ratios to the yardstick, and peak memory.
bench *args:
    cargo run --release -p carryall-benches -- {{args}}

# The sample session as a page.
sample:
    cargo run --release -p carryall -- sessions export tests/fixtures/claude-code/tour/7f3c2a10-5b64-4e0e-9d0a-3b1f6a2c9e55.jsonl --out carryall-sample.html
