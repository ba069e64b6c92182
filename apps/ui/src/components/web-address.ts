/** Returns the URL if it is safe to link to. Otherwise data could inject a script into the page. */
export function webAddress(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  if (text.startsWith("/") && !text.startsWith("//")) return text;
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null;
}
