/** Replaces control characters, because the text may contain names that other users chose. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (sign) => (/\s/.test(sign) ? " " : "�"));
}

/**
 * Returns the number of terminal columns that a string occupies: two for a wide character, zero for a combining mark.
 */
export function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) {
    if (/\p{Mark}/u.test(sign)) continue;
    width +=
      /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u.test(
        sign,
      )
        ? 2
        : 1;
  }
  return width;
}

/** Truncates text to a width and adds an ellipsis. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let prefix = "";
  for (const sign of text) {
    if (widthOf(prefix + sign) > width - 1) break;
    prefix += sign;
  }
  return `${prefix}…`;
}
