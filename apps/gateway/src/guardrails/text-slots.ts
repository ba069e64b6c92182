import { Failure } from "@tollgate/contracts/failures.ts";

type Holder = Record<string | number, unknown>;

/** Fields that describe structure, or that contain no human-readable text. */
const structural: ReadonlySet<string> = new Set([
  "type",
  "role",
  "id",
  "object",
  "name",
  "status",
  "tool_call_id",
  "tool_use_id",
  "call_id",
  "item_id",
  "finish_reason",
  "stop_reason",
  "url",
  "image_url",
  "file_id",
  "file_url",
  "file_data",
  "filename",
  "media_type",
  "mime_type",
  "format",
  "detail",
  "signature",
  "encrypted_content",
  "cache_control",
  "logprobs",
]);

/** Fields with tool arguments. Names inside them are arbitrary, so they don't describe structure. */
const freeForm: ReadonlySet<string> = new Set(["input", "arguments", "args", "parameters"]);

/** Collects the strings in a parsed body and their positions. */
export class TextSlots {
  readonly #places: { readonly holder: Holder; readonly key: string | number }[] = [];
  readonly texts: string[] = [];

  /** Adds all readable strings under a field. */
  addField(root: object, field: string): void {
    if (holdsTokens((root as Holder)[field])) throw unreadable(field);
    this.#visit(root as Holder, field, false);
  }

  /** Adds all strings under an unknown field, whose structure only the provider knows. */
  addUnknown(root: object, field: string): void {
    this.#visit(root as Holder, field, true);
  }

  /** Adds the descriptions of tools and formats. Their other members are names and types. */
  addDescriptions(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "description" && typeof inner === "string") this.#add(value as Holder, key, inner);
      else this.addDescriptions(inner);
    }
  }

  /** Replaces the collected strings in place. */
  replace(texts: readonly string[]): void {
    for (const [place, { holder, key }] of this.#places.entries()) holder[key] = texts[place];
  }

  #visit(holder: Holder, key: string | number, isFree: boolean): void {
    const value = holder[key];
    if (typeof value === "string") return this.#add(holder, key, value);
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const index of value.keys()) this.#visit(value as unknown as Holder, index, isFree);
      return;
    }
    const inner = value as Holder;
    for (const name of Object.keys(inner)) {
      if (isFree || (!structural.has(name) && !isEncoded(inner, name))) {
        this.#visit(inner, name, isFree || freeForm.has(name));
      }
    }
  }

  #add(holder: Holder, key: string | number, text: string): void {
    if (text === "") return;
    this.#places.push({ holder, key });
    this.texts.push(text);
  }
}

/** Reports whether a string is encoded image or audio data, or reasoning that only the provider can read. */
function isEncoded(holder: Holder, name: string): boolean {
  if (name === "result") return holder.type === "image_generation_call";
  if (name !== "data") return false;
  return (
    holder.type === "base64" || holder.type === "redacted_thinking" || "format" in holder || "transcript" in holder
  );
}

/** Reports whether a value contains token IDs or lists of token IDs. */
function holdsTokens(value: unknown): boolean {
  const first = Array.isArray(value) ? (value[0] as unknown) : null;
  return typeof first === "number" || (Array.isArray(first) && typeof first[0] === "number");
}

function unreadable(param: string): Failure {
  return new Failure("invalid_request", "Guardrails apply to this request and cannot read token IDs.", {
    param,
    fix: "Send text instead of token IDs.",
  });
}
