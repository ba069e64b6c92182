/** The mail addresses in a pasted text, in whatever way they are apart: `Name <a@b>`, commas, lines. Each once. */
export function readAddresses(text: string): readonly string[] {
  const found = text.match(/[^\s<>,;"'()[\]]+@[^\s<>,;"'()[\]]+/g) ?? [];
  return [...new Set(found.map((address) => address.toLowerCase().replace(/[.:]+$/, "")))];
}
