/** Puts a text on the clipboard. Without TLS browsers offer none, so the old way is kept for installations on a plain address. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  // Inside of an open dialog only what is in it can have the focus.
  (document.activeElement?.closest("[role=dialog]") ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (!isCopied) throw new Error("The browser blocked clipboard access.");
}
