const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * Returns the contents of all elements with a name. S3's documents are lists of elements without attributes, and an
 * element contains no other one with its name.
 */
export function readElements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>(.*?)</${name}>`, "gs"))].map(
    ([, content = ""]) => content,
  );
}

/** Returns the text of the first element with a name; an empty text if there is none. */
export function readText(xml: string, name: string): string {
  const content = readElements(xml, name)[0] ?? "";
  return content.replaceAll(/&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(\w{2,4}));/g, (written, decimal, hex, entity) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    if (entity !== undefined) return ENTITIES[entity] ?? written;
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : written;
  });
}

/** Returns the code of an error document, such as `NoSuchKey`; null if there is none. */
export function readErrorCode(xml: string): string | null {
  if (!/^\s*(?:<\?xml[^>]*>\s*)?<Error[\s>]/.test(xml)) return null;
  const code = readText(xml, "Code");
  return /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : null;
}
