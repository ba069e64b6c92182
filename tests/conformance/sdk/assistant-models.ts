import { BOTH_WEATHERS, GREETING } from "../stage/play-conversation.ts";

/** The models of one kind of upstream that assistants are run on. */
export interface AssistantModels {
  readonly name: string;
  readonly chat: string;
  /** Calls two functions at once, then tells what they gave. */
  readonly tools: string;
  /** Talks long enough to be cancelled meanwhile, when it is told to take its time. */
  readonly slow: string;
  /** What it is scripted to say; null where it repeats what it was told. */
  readonly says: { readonly greeting: string; readonly weather: string } | null;
}

const says = { greeting: GREETING, weather: BOTH_WEATHERS };

/** Every flow is gone through on each of these with the same code. */
export const assistantModels: readonly AssistantModels[] = [
  { name: "simulated", chat: "sim/echo", tools: "sim/tools?calls=2", slow: "sim/lorem?tokens=2000&tps=20", says: null },
  { name: "OpenAI's wire", chat: "gpt", tools: "gpt", slow: "gpt", says },
  { name: "Anthropic's wire", chat: "claude", tools: "claude", slow: "claude", says },
];
