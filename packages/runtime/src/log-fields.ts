import { withoutSecretTexts } from "./without-secret-texts.ts";

/**
 * Fields of a log line other than its message. A field that is not listed can't be printed, so no body, header, or key
 * is logged by accident. The log format reference is generated from this list.
 */
export const logFields = {
  callId: { type: "text", meaning: "The call ID, as returned in `x-gw-call-id`." },
  id: { type: "text", meaning: "The ID of another related object." },
  requestedModel: { type: "text", meaning: "The provider model that was requested." },
  servedModel: { type: "text", meaning: "The model named in the provider's response." },
  edition: { type: "text", meaning: "The edition of the model catalog." },
  port: { type: "number", meaning: "The port that the process listens on." },
  pid: { type: "number", meaning: "The process ID." },
  child: { type: "number", meaning: "The index of the process in the instance, starting at 0." },
  signal: { type: "text", meaning: "The signal that terminated a process." },
  code: { type: "text or number", meaning: "The exit code of a process, or the status code from a peer." },
  durationMs: { type: "number", meaning: "The duration in milliseconds." },
  count: { type: "number", meaning: "The number of items." },
  error: { type: "error", meaning: "The error: `message`, and `stack` and `code` if available." },
} as const satisfies Readonly<Record<string, { readonly type: FieldType; readonly meaning: string }>>;

type FieldType = "text" | "number" | "text or number" | "error";

interface ValueOf {
  readonly text: string;
  readonly number: number;
  readonly "text or number": string | number;
  readonly error: unknown;
}

export type LogFields = {
  readonly [Name in keyof typeof logFields]?: ValueOf[(typeof logFields)[Name]["type"]];
};

const MAX_TEXT = 200;
const MAX_MESSAGE = 1_000;
const MAX_FRAMES = 20;

/** Returns the declared fields with secrets removed. All other fields are dropped. */
export function pickLogFields(given: LogFields): Readonly<Record<string, unknown>> {
  const picked: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(logFields)) {
    const value: unknown = given[name as keyof LogFields];
    if (value === undefined || value === null) continue;
    if (type === "error") picked[name] = describeError(value);
    else if (typeof value === "number" && type !== "text") picked[name] = value;
    else if (typeof value === "string" && type !== "number") picked[name] = cleanText(value, MAX_TEXT);
  }
  return picked;
}

/** Removes text that looks like a secret from one of our log messages. */
export function cleanMessage(message: string): string {
  return cleanText(message, MAX_MESSAGE);
}

function describeError(error: unknown): { message: string; stack?: string; code?: string | number } {
  // A thrown value that isn't an Error may contain request data.
  if (!(error instanceof Error)) return { message: typeof error === "string" ? cleanMessage(error) : typeof error };
  const { code } = error as NodeJS.ErrnoException;
  const frames = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return {
    message: error.name === "Error" ? messageOf(error) : `${error.name}: ${messageOf(error)}`,
    ...(frames.length > 0 && { stack: frames.slice(0, MAX_FRAMES).join("\n") }),
    ...((typeof code === "string" || typeof code === "number") && { code }),
  };
}

function messageOf(error: Error): string {
  // The engine quotes the text it could not parse, which is part of a request or response.
  if (error instanceof SyntaxError && error.message.includes("JSON")) return "text that is not valid JSON";
  return cleanMessage(error.message);
}

function cleanText(text: string, longest: number): string {
  const clean = withoutSecretTexts(text.slice(0, longest * 2));
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
}
