import type { CodingAgent } from "./coding-agent.ts";

/** Speaks OpenAI's responses. */
export const codex: CodingAgent = {
  name: "codex",
  package: "@openai/codex",
  version: "0.166.0",
  // Its own sandbox needs rights that a test has not; the folder it works in is a scratch one.
  args: (task) => ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", task],
  variables: {},
  writeCall: (path, content) => ({
    name: "exec_command",
    input: { cmd: `printf %b ${JSON.stringify(content)} > ${JSON.stringify(path)}` },
  }),
  endpoint: "/v1/responses",
};
