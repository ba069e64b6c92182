/** Script for the live page: listens for changes and replaces the report. */
export const LIVE_SCRIPT = `const source = new EventSource(location.pathname + "/events");
source.onmessage = async () => {
  const answer = await fetch(location.pathname);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const open = new Set([...document.querySelectorAll("figure:has(details[open])")].map((figure) => figure.id));
  for (const id of open) fresh.getElementById(id)?.querySelector("details")?.setAttribute("open", "");
  for (const part of ["header", "main"]) document.querySelector(part)?.replaceWith(fresh.querySelector(part));
};`;
