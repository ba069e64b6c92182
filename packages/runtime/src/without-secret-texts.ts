const HIDDEN = "[hidden]";

/** Whatever has the form of a credential, wherever it stands in a text. Each pattern takes one pass. */
const forms: readonly (readonly [RegExp, string])[] = [
  // A name and a password inside an address.
  [/(:\/\/)[^\s/@:]*:[^\s/@]*@/g, `$1${HIDDEN}@`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`],
  // Keys of ours and of those who mark theirs alike.
  [/\b(?:sk|pk|rk|whsec|ghp|gho|xoxb|xoxp|hf|gsk|xai)[-_][\w-]{6,}/g, HIDDEN],
  [/\b(?:AKIA|ASIA|AIza)[\w-]{12,}/g, HIDDEN],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, HIDDEN],
  [/\b(password|passwd|secret|token|api[_-]?key|authorization)(["']?\s?[:=]\s?["']?)[^\s"',;&]+/gi, `$1$2${HIDDEN}`],
  // Long quotations are what somebody sent.
  [/"[^"]{40,}"/g, `"${HIDDEN}"`],
];

/** A text without what looks like a secret. A net below the rule that nobody puts one there. */
export function withoutSecretTexts(text: string): string {
  let clean = text;
  for (const [form, instead] of forms) clean = clean.replace(form, instead);
  return clean;
}
