import type { Exported, Fields } from "./read-export.ts";

/** Part of an exported object that can't be imported. */
export interface Loss {
  readonly id: string;
  readonly what: string;
}

interface ConvertedRecord {
  /** Request body that creates the object. */
  readonly body: Fields;
  readonly losses: readonly Loss[];
}

const MAX_METADATA = 16;
/** Fields that are copied unchanged if they are present. */
const ASSISTANT_FIELDS = ["name", "description", "instructions", "temperature", "top_p", "response_format"];

/** Converts an assistant to its create request. `models` maps old model names to the names on this gateway. */
export function convertAssistant(
  { id, createdAt, fields }: Exported,
  models: ReadonlyMap<string, string>,
): ConvertedRecord {
  const losses: Loss[] = [];
  const lose = (what: string) => losses.push({ id, what });
  const tools = listOf(fields.tools).filter((tool) => {
    if (tool.type !== "function") lose(`tool ${String(tool.type)}`);
    return tool.type === "function";
  });
  noteFiles(fields, lose);
  const model = String(fields.model);
  return {
    body: {
      ...pick(fields, [...ASSISTANT_FIELDS, "reasoning_effort"]),
      model: models.get(model) ?? model,
      tools,
      metadata: convertMetadata({ id, createdAt, fields }, lose),
    },
    losses,
  };
}

/** Converts a thread to its create request, without its messages. */
export function convertThread(thread: Exported): ConvertedRecord {
  const losses: Loss[] = [];
  const lose = (what: string) => losses.push({ id: thread.id, what });
  noteFiles(thread.fields, lose);
  return { body: { metadata: convertMetadata(thread, lose) }, losses };
}

/** Converts a message to its create request; the body is null if the message is empty. */
export function convertMessage(message: Exported): { readonly body: Fields | null; readonly losses: readonly Loss[] } {
  const { id, fields } = message;
  const losses: Loss[] = [];
  const lose = (what: string) => losses.push({ id, what });
  const parts = listOf(fields.content);
  const content = parts.flatMap((part) => convertPart(part, lose));
  noteFiles(fields, lose);
  if (fields.status === "incomplete") lose("status incomplete");
  if (content.length === 0 && losses.length === 0) lose("empty message");
  if (parts.length === 0 || (content.length === 0 && parts.every(isText))) return { body: null, losses };
  // Insert a placeholder if no part of the message can be imported, so that the following reply still has a message to
  // reply to.
  if (content.length === 0) content.push({ type: "text", text: `[not imported: ${parts.map(nameOf).join(", ")}]` });
  const role = fields.role === "assistant" ? "assistant" : "user";
  return { body: { role, content, metadata: convertMetadata(message, lose) }, losses };
}

function convertPart(part: Fields, lose: (what: string) => void): Fields[] {
  if (isText(part)) {
    const text = part.text as Fields;
    if (listOf(text.annotations).length > 0) lose("file citations");
    return text.value === "" ? [] : [{ type: "text", text: text.value }];
  }
  if (part.type === "image_url") return [pick(part, ["type", "image_url"])];
  if (part.type === "refusal") return [{ type: "text", text: part.refusal }];
  lose(part.type === "image_file" ? "image referenced by file ID" : `content ${String(part.type)}`);
  return [];
}

function isText(part: Fields): boolean {
  return part.type === "text" && typeof (part.text as Fields | undefined)?.value === "string";
}

const nameOf = (part: Fields) =>
  [part.type, (part.image_file as Fields | undefined)?.file_id].filter((word) => typeof word === "string").join(" ");

/** Reports files (in the formats of both API versions) and vector stores as dropped. */
function noteFiles(fields: Fields, lose: (what: string) => void): void {
  const resources = (fields.tool_resources ?? {}) as Readonly<Record<string, Fields | null>>;
  const lists = [fields.file_ids, fields.attachments, resources.code_interpreter?.file_ids];
  if (lists.some((list) => Array.isArray(list) && list.length > 0)) lose("files");
  const stores = resources.file_search?.vector_store_ids;
  if (Array.isArray(stores) && stores.length > 0) lose("vector store");
}

/** Returns the object's metadata plus its original ID, so that a later import recognizes the object. */
function convertMetadata({ id, createdAt, fields }: Exported, lose: (what: string) => void): Record<string, string> {
  const pairs = Object.entries((fields.metadata ?? {}) as Fields).map(([key, value]) => [key, String(value)] as const);
  const own = pairs.filter(([key]) => key !== "imported_from" && key !== "imported_created_at");
  for (const [key] of own.slice(MAX_METADATA - 1)) lose(`metadata ${key} (replaced by imported_from)`);
  const carried = Object.fromEntries([...own.slice(0, MAX_METADATA - 1), ["imported_from", id] as const]);
  if (createdAt > 0 && own.length + 2 <= MAX_METADATA) carried.imported_created_at = String(createdAt);
  return carried;
}

function pick(fields: Fields, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (fields[name] == null ? [] : [[name, fields[name]]])));
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}
