import { BOTH_WEATHERS, GREETING } from "../stage/play-conversation.ts";

/** Models for assistants on one kind of upstream. */
export interface AssistantModels {
  readonly name: string;
  readonly chat: string;
  /** Model that calls two functions in parallel and then reports their results. */
  readonly tools: string;
  /** Model that, if the prompt requests it, responds slowly enough for the run to be canceled. */
  readonly slow: string;
  /** The models' scripted responses; null if the models echo their input. */
  readonly says: { readonly greeting: string; readonly weather: string } | null;
}

const says = { greeting: GREETING, weather: BOTH_WEATHERS };

/** Kinds of upstreams. The same code tests every flow on each kind. */
export const assistantModels: readonly AssistantModels[] = [
  { name: "simulated", chat: "sim/echo", tools: "sim/tools?calls=2", slow: "sim/lorem?tokens=2000&tps=20", says: null },
  { name: "OpenAI's wire", chat: "gpt", tools: "gpt", slow: "gpt", says },
  { name: "Anthropic's wire", chat: "claude", tools: "claude", slow: "claude", says },
];
