/** Returns the boundary, moved by one if it would split a surrogate pair. */
export function wholeCharacters(text: string, border: number): number {
  if (border <= 0 || border >= text.length) return border;
  const before = text.charCodeAt(border - 1);
  return before >= 0xd800 && before < 0xdc00 ? border - 1 : border;
}
