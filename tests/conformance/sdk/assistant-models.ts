import { BOTH_WEATHERS, GREETING } from "../stage/play-conversation.ts";

/** Models of one kind of upstream on which assistants run. */
export interface AssistantModels {
  readonly name: string;
  readonly chat: string;
  /** Calls two functions in parallel, then reports their results. */
  readonly tools: string;
  /** Responds slowly enough to be canceled, if the prompt asks it to take its time. */
  readonly slow: string;
  /** Scripted responses; null if the model echoes its input. */
  readonly says: { readonly greeting: string; readonly weather: string } | null;
}

const says = { greeting: GREETING, weather: BOTH_WEATHERS };

/** Every flow runs on each of these with the same code. */
export const assistantModels: readonly AssistantModels[] = [
  { name: "simulated", chat: "sim/echo", tools: "sim/tools?calls=2", slow: "sim/lorem?tokens=2000&tps=20", says: null },
  { name: "OpenAI's wire", chat: "gpt", tools: "gpt", slow: "gpt", says },
  { name: "Anthropic's wire", chat: "claude", tools: "claude", slow: "claude", says },
];
