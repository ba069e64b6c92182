/** The contents of an error body. */
export interface UpstreamError {
  readonly message: string | null;
  readonly code: string | null;
  readonly param: string | null;
}

const MAX_DEPTH = 3;
const nothing: UpstreamError = { message: null, code: null, param: null };

/**
 * Reads an error body. Upstreams with the OpenAI format report errors in several ways: as an object or string in
 * `error`, as a string or list in `detail`, or at the top level. `body` is a binary string.
 */
export function readError(body: string): UpstreamError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(body, "latin1").toString("utf8"));
  } catch {
    return nothing;
  }
  if (!isRecord(parsed)) return nothing;
  const { error } = parsed;
  // If the `error` object has no message, the message is at the top level.
  const source = isRecord(error) && textIn(error, 0) !== null ? error : parsed;
  const { code, param } = source;
  return {
    message: textIn(source, 0),
    code: typeof code === "string" ? code : null,
    param: typeof param === "string" ? param : placeIn(source, 0),
  };
}

/** Returns the first string found in the known members, at any depth. */
function textIn(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value === "" ? null : value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) {
    const texts = value.map((item) => textIn(item, depth + 1)).filter((text) => text !== null);
    return texts.length === 0 ? null : texts.join("; ");
  }
  if (!isRecord(value)) return null;
  for (const name of ["message", "msg", "error", "detail", "reason"]) {
    const text = textIn(value[name], depth + 1);
    if (text !== null) return text;
  }
  return null;
}

/** Returns the path of the first problem in a list of validation errors. */
function placeIn(value: unknown, depth: number): string | null {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.length === 0 ? null : placeIn(value[0], depth + 1);
  if (!isRecord(value)) return null;
  if (Array.isArray(value.loc)) {
    const path = value.loc.filter((step) => step !== "body").join(".");
    return path === "" ? null : path;
  }
  return placeIn(value.detail ?? value.message, depth + 1);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
