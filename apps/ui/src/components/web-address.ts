/** Returns the URL if it is safe to link to, or null otherwise, so that a `javascript:` URL can't run on the page. */
export function webAddress(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  if (text.startsWith("/") && !text.startsWith("//")) return text;
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null;
}
