const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML and SVG may hold it anywhere: names come from plans and participants, and none may become markup. */
export function escapeMarkup(text: string): string {
  // Control characters are no part of a name, and XML may not hold most of them even when escaped.
  return text.replace(/\p{Cc}+/gu, " ").replace(/[&<>"']/g, (found) => ENTITIES[found] as string);
}
