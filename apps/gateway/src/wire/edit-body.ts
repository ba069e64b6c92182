import type { CallBody } from "../call/call-body.ts";

/** The name of a top-level member and its new JSON, one character per byte. */
export interface Edit {
  readonly name: string;
  readonly json: string;
}

const COMMA = 44;
const NOT_A_BYTE = /[\u0100-\uffff]/;

type Editable = Pick<CallBody, "text" | "members">;

/**
 * Changes, adds, or removes top-level members in the caller's bytes. All other bytes stay unchanged, so that the
 * upstream receives members unknown to the gateway exactly as the caller sent them.
 */
export function editBody({ text, members }: Editable, edits: readonly Edit[], dropped: ReadonlySet<string>): string {
  requireBytes(edits);
  let edited = "";
  let position = 0;
  let found = 0;
  for (const member of members) {
    const edit = findEdit(edits, member.name);
    if (edit !== undefined) {
      edited += text.slice(position, member.valueStart) + edit.json;
      position = member.valueEnd;
      found += 1;
    } else if (dropped.size > 0 && dropped.has(member.name)) {
      edited += text.slice(position, member.keyStart);
      const hasNext = text.charCodeAt(member.valueEnd) === COMMA;
      if (!hasNext) edited = withoutLastComma(edited);
      position = hasNext ? member.valueEnd + 1 : member.valueEnd;
    }
  }
  edited += text.slice(position);
  if (found === edits.length) return edited;
  const missing = edits.filter(({ name }) => !members.some((member) => member.name === name));
  return missing.reduce(appendMember, edited);
}

/**
 * Throws if a new value isn't written as bytes. Any other character would lose its upper bits and could become a quote,
 * which would end a string of the caller's.
 */
function requireBytes(edits: readonly Edit[]): void {
  for (const { name, json } of edits)
    if (NOT_A_BYTE.test(json)) throw new Error(`the new value of ${name} has characters that aren't bytes`);
}

function findEdit(edits: readonly Edit[], name: string): Edit | undefined {
  for (const edit of edits) if (edit.name === name) return edit;
  return undefined;
}

/** Removes a trailing comma, which remains after the last member is dropped and would make the JSON invalid. */
function withoutLastComma(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.endsWith(",") ? trimmed.slice(0, -1) : text;
}

function appendMember(text: string, { name, json }: Edit): string {
  const end = text.lastIndexOf("}");
  const isEmpty = text.slice(text.indexOf("{") + 1, end).trim() === "";
  return `${text.slice(0, end)}${isEmpty ? "" : ","}"${name}":${json}${text.slice(end)}`;
}

/** Returns a value's JSON as a binary string, one character per byte, ready to be inserted into a body. */
export function toJsonBytes(value: unknown): string {
  return Buffer.from(JSON.stringify(value), "utf8").toString("latin1");
}

/** Rebuilds the whole body from its parsed form. This is the slow path for bodies that can't be edited in place. */
export function rebuildBody(
  body: Pick<CallBody, "text">,
  edits: readonly Edit[],
  dropped: ReadonlySet<string>,
): string {
  requireBytes(edits);
  const parsed = JSON.parse(Buffer.from(body.text, "latin1").toString("utf8")) as Record<string, unknown>;
  const extra = parsed.extra_body;
  leaveOut(parsed, dropped);
  for (const { name, json } of edits) parsed[name] = JSON.parse(Buffer.from(json, "latin1").toString("utf8"));
  if (typeof extra === "object" && extra !== null) Object.assign(parsed, extra);
  return toJsonBytes(parsed);
}

/**
 * Removes fields from a request: whole fields by name, or nested ones by a path such as `tools.function.strict`. If a
 * path crosses a list, it applies to every item.
 */
export function leaveOut(request: object, dropped: ReadonlySet<string>): void {
  for (const name of dropped) {
    if (Object.hasOwn(request, name) || !name.includes(".")) delete (request as Record<string, unknown>)[name];
    else removeAt(request, name.split("."), 0);
  }
}

/** Reports whether any name is a path to a nested field. */
export function hasPath(dropped: ReadonlySet<string>): boolean {
  for (const name of dropped) if (name.includes(".")) return true;
  return false;
}

function removeAt(value: unknown, path: readonly string[], depth: number): void {
  if (Array.isArray(value)) {
    for (const item of value) removeAt(item, path, depth);
    return;
  }
  const name = path[depth] as string;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return;
  const record = value as Record<string, unknown>;
  if (depth === path.length - 1) delete record[name];
  else removeAt(record[name], path, depth + 1);
}
