const HIDDEN = "[hidden]";

/** Credential formats, matched anywhere in the text, in one pass per pattern. */
const forms: readonly (readonly [RegExp, string])[] = [
  // User name and password in a URL.
  [/(:\/\/)[^\s/@:]*:[^\s/@]*@/g, `$1${HIDDEN}@`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`],
  // Tollgate keys, and keys with similar prefixes.
  [/\b(?:sk|pk|rk|whsec|ghp|gho|xoxb|xoxp|hf|gsk|xai)[-_][\w-]{6,}/g, HIDDEN],
  [/\b(?:AKIA|ASIA|AIza)[\w-]{12,}/g, HIDDEN],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, HIDDEN],
  [/\b(password|passwd|secret|token|api[_-]?key|authorization)(["']?\s?[:=]\s?["']?)[^\s"',;&]+/gi, `$1$2${HIDDEN}`],
  // Long quoted strings are usually client data.
  [/"[^"]{40,}"/g, `"${HIDDEN}"`],
];

/** Removes text that looks like a secret. This is only a safety net. Secrets should never reach this function. */
export function withoutSecretTexts(text: string): string {
  let clean = text;
  for (const [form, instead] of forms) clean = clean.replace(form, instead);
  return clean;
}
