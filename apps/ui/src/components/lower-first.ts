/** Lowercases the first letter, for a label in the middle of a sentence. Acronyms such as "API" are left unchanged. */
export function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
