import type { CodingAgent } from "./coding-agent.ts";

/** Codex, which uses OpenAI's Responses API. */
export const codex: CodingAgent = {
  name: "codex",
  package: "@openai/codex",
  version: "0.166.0",
  // Disable the agent's sandbox, which needs privileges that a test lacks. The working folder is temporary.
  args: (task) => ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", task],
  variables: {},
  writeCall: (path, content) => ({
    name: "exec_command",
    input: { cmd: `printf %b ${JSON.stringify(content)} > ${JSON.stringify(path)}` },
  }),
  endpoint: "/v1/responses",
};
