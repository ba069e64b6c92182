const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * Returns the contents of all elements with a name. S3's documents are lists of elements without attributes, and an
 * element contains no other one with its name.
 */
export function readElements(xml: string, name: string): string[] {
  const contents: string[] = [];
  const opening = `<${name}`;
  const closing = `</${name}>`;
  // Reads every character at most twice: a regular expression would start again at each unclosed element.
  for (let start = xml.indexOf(opening); start !== -1; ) {
    const nameEnd = start + opening.length;
    if (!/^[\s/>]/.test(xml.charAt(nameEnd))) {
      start = xml.indexOf(opening, nameEnd);
      continue;
    }
    const tagEnd = xml.indexOf(">", nameEnd);
    if (tagEnd === -1) break;
    const isEmpty = xml[tagEnd - 1] === "/";
    const end = isEmpty ? tagEnd + 1 : xml.indexOf(closing, tagEnd);
    if (end === -1) break;
    contents.push(isEmpty ? "" : xml.slice(tagEnd + 1, end));
    start = xml.indexOf(opening, isEmpty ? end : end + closing.length);
  }
  return contents;
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

/** Reports whether a document is one complete element with a name. */
export function isDocument(xml: string, name: string): boolean {
  const content = contentOf(xml).trimEnd();
  if (!isElement(content, name)) return false;
  return content.endsWith(`</${name}>`) || (content.endsWith("/>") && content.indexOf(">") === content.length - 1);
}

/** Returns the code of an error document, such as `NoSuchKey`; null if there is none. */
export function readErrorCode(xml: string): string | null {
  if (!isElement(contentOf(xml), "Error")) return null;
  const code = readText(xml, "Code");
  return /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : null;
}

/** Returns a document without its declaration. */
function contentOf(xml: string): string {
  return xml.replace(/^\s*(?:<\?xml[^>]*>\s*)?/, "");
}

function isElement(content: string, name: string): boolean {
  return content.startsWith(`<${name}`) && /^[\s/>]/.test(content.charAt(name.length + 1));
}
