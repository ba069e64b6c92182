import { BOTH_WEATHERS, GREETING } from "../stage/play-conversation.ts";

/** Models of one kind of upstream that assistants use. */
export interface AssistantModels {
  readonly name: string;
  readonly chat: string;
  /** Calls two functions in parallel, then reports their results. */
  readonly tools: string;
  /** If the prompt asks for it, responds so slowly that the run can be canceled. */
  readonly slow: string;
  /** Scripted responses of the model; null if it echoes its input. */
  readonly says: { readonly greeting: string; readonly weather: string } | null;
}

const says = { greeting: GREETING, weather: BOTH_WEATHERS };

/** Kinds of upstreams. The same code tests every flow on each of them. */
export const assistantModels: readonly AssistantModels[] = [
  { name: "simulated", chat: "sim/echo", tools: "sim/tools?calls=2", slow: "sim/lorem?tokens=2000&tps=20", says: null },
  { name: "OpenAI's wire", chat: "gpt", tools: "gpt", slow: "gpt", says },
  { name: "Anthropic's wire", chat: "claude", tools: "claude", slow: "claude", says },
];
