const MAX_SHOWN_TEXT = 500;

/** Matches API keys by their usual prefixes, and any long word that contains digits. */
const keyLike =
  /\b(?:(?:sk|key|pk|api|xai|csk|pplx|nvapi)-[\w-]{4,}|(?:gsk|hf|fw|r8)_\w{4,}|AIza[\w-]{8,}|(?=\w*\d)\w{32,})/g;

/** Makes upstream text safe to display. Truncates it and removes everything that looks like a key or a URL. */
export function redactKeysAndUrls(text: string): string {
  return text
    .slice(0, MAX_SHOWN_TEXT)
    .replaceAll(keyLike, "[removed]")
    .replaceAll(/https?:\/\/[^\s"')]+/g, "[removed]");
}
