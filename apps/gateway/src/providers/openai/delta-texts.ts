const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
/** Where an answer's text may stand in a frame. */
const CHAT_TEXTS = ['"content":', '"arguments":', '"reasoning_content":', '"reasoning":', '"refusal":'];
const COMPLETION_TEXTS = ['"text":'];
const TRANSCRIPT_TEXTS = ['"delta":'];

/** The texts in frames of this wire, as they are written there. Looks at nothing else, so it need not parse. */
export function findDeltaTexts(frames: string, found: (escaped: string) => void): void {
  findTexts(CHAT_TEXTS, frames, found);
}

/** The same in frames of text completions. */
export function findCompletionTexts(frames: string, found: (escaped: string) => void): void {
  findTexts(COMPLETION_TEXTS, frames, found);
}

/** The same in frames of transcripts. */
export function findTranscriptTexts(frames: string, found: (escaped: string) => void): void {
  findTexts(TRANSCRIPT_TEXTS, frames, found);
}

/** The strings that stand under one of these names, each given with its colon: `"text":`. */
export function findTexts(names: readonly string[], frames: string, found: (escaped: string) => void): void {
  for (const name of names) {
    for (let at = frames.indexOf(name); at >= 0; at = frames.indexOf(name, at + 1)) {
      const text = stringAt(frames, at + name.length);
      if (text !== null) found(text);
    }
  }
}

/** The string whose value begins here, without its quotes; null for any other value. */
function stringAt(frames: string, colonEnd: number): string | null {
  const open = frames.charCodeAt(colonEnd) === SPACE ? colonEnd + 1 : colonEnd;
  if (frames.charCodeAt(open) !== QUOTE) return null;
  let end = frames.indexOf('"', open + 1);
  while (end > 0 && isEscaped(frames, end)) end = frames.indexOf('"', end + 1);
  return end > 0 ? frames.slice(open + 1, end) : null;
}

/** Whether the quote at this place belongs to the text. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (at - start) % 2 === 1;
}
