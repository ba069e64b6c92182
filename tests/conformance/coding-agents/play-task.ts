import type { Behavior } from "@tollgate/testkit/upstream-behaviors.ts";
import { says } from "../oracle/answers/spoken-answer.ts";
import type { CodingAgent } from "./coding-agent.ts";

export const LAST_WORDS = "The file is written.";

interface ChatRequest {
  readonly messages?: readonly { readonly role: string }[];
  readonly tools?: readonly { readonly function?: { readonly name: string } }[];
}

/**
 * A scripted model with OpenAI's API. It writes one file by calling the agent's own tool and reports success after the
 * tool result. It cannot call a tool that it wasn't offered.
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
