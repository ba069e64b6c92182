interface Token {
  readonly kind: "plain" | "string" | "keyword" | "comment";
  /** Offset in the code. */
  readonly at: number;
  readonly text: string;
}

/** Number of tokens of one code block. The code after them is one plain token, so that a page has a limited size. */
const MAX_TOKENS = 2_000;

const KEYWORDS =
  "import|from|const|let|new|await|async|function|return|def|print|for|in|if|else|package|func|var|type|curl|export|with|as|nil|null|None|true|false";

// Strings come first because they can contain text that looks like a comment or keyword. `#` and `//` start a comment
// only at the start of a line or after a space, so that URLs stay intact. An escaped quote starts no string, because a
// line of escaped quotes would otherwise be scanned to its end from each of them.
const PATTERN = new RegExp(
  `((?<!\\\\)"(?:[^"\\\\\\n]|\\\\.)*"|(?<!\\\\)'(?:[^'\\\\\\n]|\\\\.)*'|\`[^\`]*\`)|((?<=^|\\s)(?://|#).*)|\\b(${KEYWORDS})\\b`,
  "gm",
);

/** Splits code into tokens for highlighting. The concatenated tokens are identical to the code. */
export function highlight(code: string): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of code.matchAll(PATTERN)) {
    // A match adds at most two tokens, and one more follows the last match.
    if (tokens.length + 3 > MAX_TOKENS) break;
    if (match.index > end) tokens.push({ kind: "plain", at: end, text: code.slice(end, match.index) });
    const kind = match[1] !== undefined ? "string" : match[2] !== undefined ? "comment" : "keyword";
    tokens.push({ kind, at: match.index, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < code.length) tokens.push({ kind: "plain", at: end, text: code.slice(end) });
  return tokens;
}
