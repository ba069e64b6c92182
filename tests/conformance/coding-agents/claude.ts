import type { CodingAgent } from "./coding-agent.ts";

/** Claude Code, which uses Anthropic's API. */
export const claude: CodingAgent = {
  name: "claude",
  package: "@anthropic-ai/claude-code",
  version: "2.1.325",
  args: (task) => ["-p", task, "--allowedTools", "Write", "--output-format", "json"],
  variables: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
  writeCall: (path, content) => ({ name: "Write", input: { file_path: path, content } }),
  endpoint: "/v1/messages",
};
