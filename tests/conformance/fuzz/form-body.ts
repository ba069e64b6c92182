/** A form field: text, or a file with a name. */
export type FormPart = readonly [name: string, value: string | FormFile];

export interface FormFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export const BOUNDARY = "----a-boundary-of-generated-forms";
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Encodes a form. Does not escape names and values, even if that breaks the form. */
export function writeForm(parts: readonly FormPart[]): Buffer {
  const pieces = parts.flatMap(([name, value]) => {
    const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"`;
    if (typeof value === "string") return [Buffer.from(`${head}\r\n\r\n${value}\r\n`)];
    const { filename, contentType, bytes } = value;
    return [
      Buffer.from(`${head}; filename="${toText(filename)}"\r\ncontent-type: ${toText(contentType)}\r\n\r\n`),
      bytes,
      Buffer.from("\r\n"),
    ];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/**
 * Converts an object to form fields. A list becomes a repeated name, and other values that aren't text become JSON.
 * Omits null.
 */
export function toParts(fields: Readonly<Record<string, unknown>>): readonly FormPart[] {
  return Object.entries(fields).flatMap(([name, value]): readonly FormPart[] => {
    if (value === null || value === undefined) return [];
    if (isFile(value)) return [[name, value]];
    if (name.endsWith("[]") && Array.isArray(value)) return value.map((entry) => [name, toText(entry)]);
    return [[name, toText(value)]];
  });
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function isFile(value: unknown): value is FormFile {
  return typeof value === "object" && value !== null && (value as FormFile).bytes instanceof Uint8Array;
}
