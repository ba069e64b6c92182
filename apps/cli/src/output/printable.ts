/** The text without what would steer a terminal: names come from other people. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (sign) => (/\s/.test(sign) ? " " : "�"));
}

/** How many columns of a terminal a text takes: wide signs take two, marks on others none. */
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

/** As much of a text as fits, with a sign that something is missing. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  for (const sign of text) {
    if (widthOf(kept + sign) > width - 1) break;
    kept += sign;
  }
  return `${kept}…`;
}
