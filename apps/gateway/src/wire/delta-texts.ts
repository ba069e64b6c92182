const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
/** Names of the members that can contain response text in a frame. */
const CHAT_TEXTS = ['"content":', '"arguments":', '"reasoning_content":', '"reasoning":', '"refusal":'];
const COMPLETION_TEXTS = ['"text":'];
const TRANSCRIPT_TEXTS = ['"delta":'];

/** Finds the response text in chat frames, still escaped. Scans for the text members without parsing the JSON. */
export function findDeltaTexts(frames: string, found: (escaped: string) => void): void {
  findTexts(CHAT_TEXTS, frames, found);
}

/** Finds the text in text completion frames. */
export function findCompletionTexts(frames: string, found: (escaped: string) => void): void {
  findTexts(COMPLETION_TEXTS, frames, found);
}

/** Finds the text in transcript frames. */
export function findTranscriptTexts(frames: string, found: (escaped: string) => void): void {
  findTexts(TRANSCRIPT_TEXTS, frames, found);
}

/** Finds the string values of these members. Each name includes its colon, as in `"text":`. */
export function findTexts(names: readonly string[], frames: string, found: (escaped: string) => void): void {
  for (const name of names) {
    for (let at = frames.indexOf(name); at >= 0; at = frames.indexOf(name, at + 1)) {
      const text = stringAt(frames, at + name.length);
      if (text !== null) found(text);
    }
  }
}

/** Returns the string value that starts here, without its quotes, or null for any other value. */
function stringAt(frames: string, colonEnd: number): string | null {
  const open = frames.charCodeAt(colonEnd) === SPACE ? colonEnd + 1 : colonEnd;
  if (frames.charCodeAt(open) !== QUOTE) return null;
  let end = frames.indexOf('"', open + 1);
  while (end > 0 && isEscaped(frames, end)) end = frames.indexOf('"', end + 1);
  return end > 0 ? frames.slice(open + 1, end) : null;
}

/** Reports whether the quote at this position is escaped and therefore part of the text. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (at - start) % 2 === 1;
}
