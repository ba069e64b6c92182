import { BodyPieces } from "../call/body-pieces.ts";
import type { CallBody } from "../call/call-body.ts";

/** The name of a top-level member and its new JSON, one character per byte. */
export interface Edit {
  readonly name: string;
  readonly json: string;
}

const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const CLOSE_BRACE = 125;
/** Bodies of at least this size are sent in pieces. Smaller ones are copied faster than written separately. */
const MIN_PIECED_BYTES = 32 * 1024;
const NOT_A_BYTE = /[\u0100-\uffff]/;

/** JSON as text, one character per byte, with its top-level members. */
interface EditableText extends Pick<CallBody, "members"> {
  readonly text: string;
}

/**
 * Returns the body to send: the caller's bytes, in which top-level members are changed, added, or removed. All other
 * bytes stay unchanged, so that the upstream receives members unknown to the gateway exactly as the caller sent them.
 */
export function editBytes(
  body: Pick<CallBody, "bytes" | "members" | "mustRebuild">,
  edits: readonly Edit[],
  dropped: ReadonlySet<string>,
): Buffer | BodyPieces {
  requireBytes(edits);
  if (body.mustRebuild || hasPath(dropped)) return rebuildBody(body, edits, dropped);
  if (body.bytes.length >= MIN_PIECED_BYTES && dropped.size === 0) return new BodyPieces(piecesOf(body, edits));
  return copyBody(body, edits, dropped);
}

/** Copies the body with the changes. */
function copyBody(
  { bytes, members }: Pick<CallBody, "bytes" | "members">,
  edits: readonly Edit[],
  dropped: ReadonlySet<string>,
): Buffer {
  let most = bytes.length;
  for (const { name, json } of edits) most += name.length + json.length + ADDED_BYTES;
  const edited = Buffer.allocUnsafe(most);
  let length = 0;
  let position = 0;
  let found = 0;
  let left = members.length;
  for (const member of members) {
    const edit = findEdit(edits, member.name);
    if (edit !== undefined) {
      length += bytes.copy(edited, length, position, member.valueStart);
      length += edited.write(edit.json, length, "latin1");
      position = member.valueEnd;
      found += 1;
    } else if (dropped.size > 0 && dropped.has(member.name)) {
      length += bytes.copy(edited, length, position, member.keyStart);
      const hasNext = bytes[member.valueEnd] === COMMA;
      if (!hasNext) length = beforeLastComma(edited, length);
      position = hasNext ? member.valueEnd + 1 : member.valueEnd;
      left -= 1;
    }
  }
  if (found < edits.length) {
    const end = bytes.lastIndexOf(CLOSE_BRACE);
    length += bytes.copy(edited, length, position, end);
    position = end;
    for (const edit of edits) {
      if (members.some(({ name }) => name === edit.name)) continue;
      if (left > 0) edited[length++] = COMMA;
      edited[length++] = QUOTE;
      length += edited.write(edit.name, length, "latin1");
      edited[length++] = QUOTE;
      edited[length++] = COLON;
      length += edited.write(edit.json, length, "latin1");
      left += 1;
    }
  }
  length += bytes.copy(edited, length, position);
  return edited.subarray(0, length);
}

/** Returns the unchanged parts of the body and the new values, in the order in which they are sent. */
function piecesOf({ bytes, members }: Pick<CallBody, "bytes" | "members">, edits: readonly Edit[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let position = 0;
  for (const { name, valueStart, valueEnd } of members) {
    const edit = findEdit(edits, name);
    if (edit === undefined) continue;
    pieces.push(bytes.subarray(position, valueStart), Buffer.from(edit.json, "latin1"));
    position = valueEnd;
  }
  const added = edits.filter(({ name }) => !members.some((member) => member.name === name));
  if (added.length > 0) {
    const end = bytes.lastIndexOf(CLOSE_BRACE);
    const text = added.map(({ name, json }) => `"${name}":${json}`).join();
    pieces.push(bytes.subarray(position, end), Buffer.from(members.length > 0 ? `,${text}` : text, "latin1"));
    position = end;
  }
  pieces.push(bytes.subarray(position));
  return pieces;
}

/** Bytes around the name and the value of an added member: a comma, two quotes, and a colon. */
const ADDED_BYTES = 4;

/** Returns the length without a comma at the end, which remains after the last member is dropped. */
function beforeLastComma(bytes: Buffer, length: number): number {
  let end = length;
  while (end > 0 && (bytes[end - 1] as number) <= SPACE) end -= 1;
  return bytes[end - 1] === COMMA ? end - 1 : length;
}

/** Like `editBytes`, for text. Responses are edited this way. */
export function editBody(
  { text, members }: EditableText,
  edits: readonly Edit[],
  dropped: ReadonlySet<string>,
): string {
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
function rebuildBody({ bytes }: Pick<CallBody, "bytes">, edits: readonly Edit[], dropped: ReadonlySet<string>): Buffer {
  const parsed = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  let extra = parsed.extra_body;
  leaveOut(parsed, dropped);
  for (const { name, json } of edits) parsed[name] = JSON.parse(Buffer.from(json, "latin1").toString("utf8"));
  if (edits.some(({ name }) => name === "extra_body")) {
    extra = parsed.extra_body;
    delete parsed.extra_body;
  }
  if (typeof extra === "object" && extra !== null) Object.assign(parsed, extra);
  return Buffer.from(JSON.stringify(parsed), "utf8");
}

/**
 * Removes fields from a request: whole fields by name, or nested ones by a path such as `tools.function.strict`. If a
 * path crosses a list, it applies to every item. Reports whether the request had any of the fields.
 */
export function leaveOut(request: object, dropped: Iterable<string>): boolean {
  let isChanged = false;
  for (const name of dropped) {
    if (Object.hasOwn(request, name)) isChanged = delete (request as Record<string, unknown>)[name];
    else if (name.includes(".")) isChanged = removeAt(request, name.split("."), 0) || isChanged;
  }
  return isChanged;
}

/** Reports whether any name is a path to a nested field. */
export function hasPath(dropped: ReadonlySet<string>): boolean {
  for (const name of dropped) if (name.includes(".")) return true;
  return false;
}

function removeAt(value: unknown, path: readonly string[], depth: number): boolean {
  if (Array.isArray(value)) {
    let isChanged = false;
    for (const item of value) isChanged = removeAt(item, path, depth) || isChanged;
    return isChanged;
  }
  const name = path[depth] as string;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return false;
  const record = value as Record<string, unknown>;
  return depth === path.length - 1 ? delete record[name] : removeAt(record[name], path, depth + 1);
}
