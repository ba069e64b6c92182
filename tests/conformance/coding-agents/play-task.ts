import type { Behavior } from "@tollgate/testkit/upstream-behaviours.ts";
import { says } from "../oracle/answers/spoken-answer.ts";
import type { CodingAgent } from "./coding-agent.ts";

export const LAST_WORDS = "The file is written.";

interface ChatRequest {
  readonly messages?: readonly { readonly role: string }[];
  readonly tools?: readonly { readonly function?: { readonly name: string } }[];
}

/**
 * A model on OpenAI's wire that has one file written, by the tool of the agent's own that it was offered, and says so
 * when it hears that the tool was run. What it was not offered, it cannot call.
 */
export function playTask(agent: CodingAgent, path: string, content: string): Behavior {
  return (exchange) => {
    const { messages = [], tools = [] } = exchange.request.json() as ChatRequest;
    const { name, input } = agent.writeCall(path, content);
    const isOffered = tools.some((tool) => tool.function?.name === name);
    const hasRun = messages.some(({ role }) => role === "tool");
    const counts = { inputTokens: 1_000, outputTokens: 20 };
    if (hasRun || !isOffered) return says({ pieces: [LAST_WORDS], ...counts })(exchange);
    return says({ pieces: [], finish: "tools", toolCalls: [{ id: "call_write", name, input }], ...counts })(exchange);
  };
}
