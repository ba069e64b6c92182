const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML and SVG. Names come from plans and participants and must not become markup. */
export function escapeMarkup(text: string): string {
  // Control characters don't belong in a name, and XML forbids most of them even when escaped.
  return text.replace(/\p{Cc}+/gu, " ").replace(/[&<>"']/g, (found) => ENTITIES[found] as string);
}
