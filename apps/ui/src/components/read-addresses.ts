/** Extracts email addresses from pasted text in any format (`Name <a@b>`, commas, lines), without duplicates. */
export function readAddresses(text: string): readonly string[] {
  const found = text.match(/[^\s<>,;"'()[\]]+@[^\s<>,;"'()[\]]+/g) ?? [];
  return [...new Set(found.map((address) => address.toLowerCase().replace(/[.:]+$/, "")))];
}
