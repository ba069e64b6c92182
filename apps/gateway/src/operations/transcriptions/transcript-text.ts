/** What an answer says, as far as it has to be counted. */
export interface ReadTranscript {
  readonly text: string;
  /** How long the sound was; null where the answer does not say. */
  readonly heardMs: number | null;
  /** When the last words of subtitles end; 0 for what is no subtitles. */
  readonly lastWordsMs: number;
}

/** Eleven days: nobody hears more than that in one call, so a longer time is none. */
const MAX_SECONDS = 1_000_000;
/** A moment of a cue, in either of the two forms. */
const MOMENT = /(?:(\d{2,}):)?(\d{2}):(\d{2})[.,](\d{3})/;
const CUE = new RegExp(`^${MOMENT.source} --> ${MOMENT.source}`);

/** Reads an answer, whatever it is written in. Takes bytes. */
export function readTranscript(answer: string): ReadTranscript {
  const text = Buffer.from(answer, "latin1").toString("utf8");
  const parsed = text.startsWith("{") ? parseObject(text) : null;
  if (parsed === null) return { text: wordsOf(text), heardMs: null, lastWordsMs: lastCueEndMs(text) };
  const said = typeof parsed.text === "string" ? parsed.text : "";
  return { text: said, heardMs: readReceivedMs(parsed.usage, parsed.duration), lastWordsMs: 0 };
}

/** How long the sound was that was heard, in milliseconds, or null when that is not said. */
export function readReceivedMs(usage: unknown, durationSeconds: unknown): number | null {
  const { type, seconds } = (usage ?? {}) as { readonly type?: unknown; readonly seconds?: unknown };
  const said = type === "duration" ? seconds : durationSeconds;
  return typeof said === "number" && said >= 0 && said <= MAX_SECONDS ? Math.round(said * 1_000) : null;
}

function lastCueEndMs(text: string): number {
  const at = text.lastIndexOf(" --> ");
  const match = at < 0 ? null : MOMENT.exec(text.slice(at, at + 32));
  if (match === null) return 0;
  const [, hours = "0", minutes, seconds, milliseconds] = match;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(milliseconds);
}

/** Subtitles without their numbers and times. */
function wordsOf(text: string): string {
  const lines = text.split("\n");
  return lines.filter((line) => line !== "WEBVTT" && !CUE.test(line) && !/^\d+$/.test(line)).join("\n");
}

/** A transcript that only looks like JSON is one all the same. */
function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
