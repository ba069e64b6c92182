/**
 * Copies text to the clipboard. Browsers offer the clipboard API only over TLS, so pages on plain HTTP use
 * `execCommand`.
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  // While a dialog is open, only its descendants can have focus.
  (document.activeElement?.closest("[role=dialog]") ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (!isCopied) throw new Error("The browser blocked clipboard access.");
}
