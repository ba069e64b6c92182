const MAX_SHOWN_TEXT = 500;

/** Keys by their usual beginnings, and any long word with digits in it. */
const keyLike =
  /\b(?:(?:sk|key|pk|api|xai|csk|pplx|nvapi)-[\w-]{4,}|(?:gsk|hf|fw|r8)_\w{4,}|AIza[\w-]{8,}|(?=\w*\d)\w{32,})/g;

/** Upstream text as it may be shown: bounded, and without anything that looks like a key or an address. */
export function withoutControlCharacters(text: string): string {
  return text
    .slice(0, MAX_SHOWN_TEXT)
    .replaceAll(keyLike, "[removed]")
    .replaceAll(/https?:\/\/[^\s"')]+/g, "[removed]");
}
