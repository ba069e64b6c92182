/** Transcript data from which the usage is computed. */
interface ReadTranscript {
  readonly text: string;
  /** The audio duration; null if the response doesn't contain it. */
  readonly receivedMs: number | null;
  /** The end time of the last cue in subtitles; 0 for other formats. */
  readonly lastWordsMs: number;
}

/** Maximum plausible duration in seconds, about eleven days. Longer values are ignored. */
const MAX_SECONDS = 1_000_000;
/** Matches a cue's timestamp in either subtitle format. */
const MOMENT = /(?:(\d{2,}):)?(\d{2}):(\d{2})[.,](\d{3})/;
const CUE = new RegExp(`^${MOMENT.source} --> ${MOMENT.source}`);

/** Reads a response in any format, given as a binary string. */
export function readTranscript(answer: string): ReadTranscript {
  const text = Buffer.from(answer, "latin1").toString("utf8");
  const parsed = text.startsWith("{") ? parseObject(text) : null;
  if (parsed === null) return { text: wordsOf(text), receivedMs: null, lastWordsMs: lastCueEndMs(text) };
  const said = typeof parsed.text === "string" ? parsed.text : "";
  return { text: said, receivedMs: readReceivedMs(parsed.usage, parsed.duration), lastWordsMs: 0 };
}

/** Returns the reported audio duration in milliseconds, or null if there is none. */
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

/** Returns the text of subtitles without cue numbers and times. */
function wordsOf(text: string): string {
  const lines = text.split("\n");
  return lines.filter((line) => line !== "WEBVTT" && !CUE.test(line) && !/^\d+$/.test(line)).join("\n");
}

/** Returns null for invalid JSON, because a plain text transcript may start with a brace. */
function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
