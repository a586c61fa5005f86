Feature: /export in a chat
  Someone in a chat types /export and holds the conversation as a file in the workspace. No model
  is asked.

  Background:
    Given a session "sess_export_demo" with 2 exchanges

  Scenario: B1 /export writes Markdown with a name of its own
    When the chat command "/export" is run
    Then the reply confirms "markdown"
    And the workspace holds exactly one "carryall-export-*.md"
    And that file holds "question 1"
    And that file holds "canned answer"
    And that file does not hold "/export"

  Scenario Outline: <row> a format word decides the format
    When the chat command "/export <word>" is run
    Then the reply confirms "<label>"
    And the workspace holds exactly one "carryall-export-*.<extension>"
    And that file holds "question 2"

    Examples:
      | row | word  | label      | extension |
      | B2  | md    | markdown   | md        |
      | B3  | html  | HTML       | html      |
      | B4  | json  | JSON       | json      |
      | B5  | jsonl | JSON Lines | jsonl     |

  Scenario: B6 a path below a folder that is not there yet
    When the chat command "/export md notes/chat.md" is run
    Then the reply confirms "markdown"
    And the file "notes/chat.md" holds "canned answer 2"

  Scenario: B7 the extension of the path decides the format
    When the chat command "/export chat.json" is run
    Then the reply confirms "JSON"
    And the JSON file "chat.json" has session id "sess_export_demo" and 4 entries

  Scenario: B8 a tool call with its result, and reasoning
    Given the session has an answer with reasoning and a "read" call
    When the chat command "/export md full.md" is run
    Then the file "full.md" holds "the result of the call"
    And the file "full.md" holds "the reasoning behind it"

  Scenario: B9 options leave tools and reasoning out
    Given the session has an answer with reasoning and a "read" call
    When the chat command "/export md chat.md --no-tools --no-thinking" is run
    Then the file "chat.md" holds "the answer after the call"
    And the file "chat.md" does not hold "the result of the call"
    And the file "chat.md" does not hold "the reasoning behind it"
