Feature: carryall sessions export
  The shell twin of /export: any stored session by the beginning of its id.

  Background:
    Given a session "sess_export_demo" with 2 exchanges

  Scenario: B10 a whole id
    When "sessions export sess_export_demo" is run
    Then it prints "Session exported to markdown: "
    And the shell folder holds exactly one "carryall-export-*.md"
    And that file holds "question 1"
    And that file holds "canned answer 2"

  Scenario: B11 the beginning of an id, a format and a file
    When "sessions export sess_exp --format json --out exports/chat.json" is run
    Then it prints "Session exported to JSON: "
    And the JSON file "exports/chat.json" has session id "sess_export_demo" and 4 entries

  Scenario: B12 an absolute path outside the shell folder
    When "sessions export sess_export_demo --out {elsewhere}/reports/chat.html" is run
    Then it prints "Session exported to HTML: "
    And the file "{elsewhere}/reports/chat.html" holds "question 2"
    And the shell folder is empty

  Scenario: B13 options leave tools and reasoning out
    Given the session has an answer with reasoning and a "read" call
    When "sessions export sess_export_demo --out chat.md --no-tools --no-thinking" is run
    Then the file "chat.md" holds "the answer after the call"
    And the file "chat.md" does not hold "the result of the call"
    And the file "chat.md" does not hold "the reasoning behind it"
