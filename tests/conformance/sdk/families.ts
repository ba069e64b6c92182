import { GREETING, PICTURE_NAME, WEATHER } from "../stage/play-conversation.ts";

/** Models of one kind of upstream, by operation; null if the upstream has none. */
export interface Family {
  readonly name: string;
  readonly chat: string;
  readonly tools: string;
  readonly json: string;
  readonly vision: string;
  readonly completion: string;
  readonly embedding: string | null;
  readonly moderation: string | null;
  readonly speech: string | null;
  readonly transcription: string | null;
  readonly image: string | null;
  /** Scripted responses; null if the upstream generates its own. */
  readonly says: { readonly greeting: string; readonly picture: string; readonly weather: string } | null;
}

const says = { greeting: GREETING, picture: PICTURE_NAME, weather: WEATHER };
const none = { embedding: null, moderation: null, speech: null, transcription: null, image: null };
const everyChat = (name: string) => ({ chat: name, tools: name, json: name, vision: name, completion: name });

/** Kinds of upstreams. The same code runs all checks on each kind. */
export const families: readonly Family[] = [
  {
    name: "simulated",
    chat: "sim/echo",
    tools: "sim/tools",
    json: "sim/json",
    vision: "sim/vision",
    completion: "sim/echo",
    embedding: "sim/embed",
    moderation: "sim/moderation",
    speech: "sim/speech?tps=50",
    transcription: "sim/transcribe",
    image: "sim/image",
    says: null,
  },
  {
    name: "OpenAI's wire",
    ...everyChat("gpt"),
    completion: "instruct",
    embedding: "vectors",
    moderation: "moderator",
    speech: "voice",
    transcription: "listener",
    image: "painter",
    says,
  },
  { name: "Anthropic's wire", ...everyChat("claude"), ...none, says },
  { name: "Gemini's wire", ...everyChat("flash"), ...none, embedding: "gemini-vectors", says },
  { name: "Bedrock's wire", ...everyChat("rock"), ...none, says },
  // Gemini and Anthropic models, each with its own API.
  { name: "Vertex's wires", ...everyChat("cloud-claude"), chat: "cloud", json: "cloud", ...none, says },
];
