import type { UpstreamRequest } from "../../call/provider.ts";

const FIELD = /^content-disposition: form-data; name="([^"]*)"(; filename="[^"]*")?/i;

/**
 * Describes a form as an object, with fields by name, repeated fields as arrays, and a placeholder for the file.
 * Returns null if the body is not a form.
 */
export async function describeForm({ body, headers }: UpstreamRequest): Promise<Record<string, unknown> | null> {
  if (typeof body !== "function") return null;
  const boundary = /boundary=(\S+)/.exec(headers[headers.indexOf("content-type") + 1] ?? "")?.[1];
  if (boundary === undefined) return null;
  const text = Buffer.concat(await body().toArray()).toString("utf8");
  const form: Record<string, unknown> = {};
  for (const part of text.split(`--${boundary}`).slice(1, -1)) {
    const [head = "", ...content] = part.trimStart().split("\r\n\r\n");
    const [, name, file] = FIELD.exec(head) ?? [];
    if (name === undefined) continue;
    const value = file === undefined ? content.join("\r\n\r\n").slice(0, -"\r\n".length) : "<file>";
    if (name.endsWith("[]")) form[name] = [...((form[name] as unknown[] | undefined) ?? []), value];
    else form[name] = value;
  }
  return form;
}
