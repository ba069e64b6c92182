/** The address, if it is one that a link may lead to: data never brings a script into a page. */
export function webAddress(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  if (text.startsWith("/") && !text.startsWith("//")) return text;
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null;
}
