import { Failure } from "@tollgate/contracts/failures.ts";

/** The parts of a schema that define the type of a field. */
interface FieldSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
}

const NAME = /^([^[\]]+)(?:\[([^[\]]*)\])?$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,16})?$/;
const booleans: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false };

/**
 * Collects form fields into the equivalent JSON object. `name[]` is a list entry, `name[key]` is an object member, and
 * strings are converted to the schema's type. A string that can't be converted is left unchanged, and schema validation
 * reports it.
 */
export class FormFields {
  readonly #schemas: Readonly<Record<string, FieldSchema>>;
  readonly #values = new Map<string, unknown>();

  constructor(schema: object) {
    this.#schemas = (schema as FieldSchema).properties ?? {};
  }

  /** Adds a field. Throws a Failure if the field was sent before, because parsers disagree on duplicates. */
  add(field: string, text: string): void {
    const match = NAME.exec(field);
    if (match === null) throw new Failure("invalid_request", "A form field has an invalid name.");
    const [, name = "", key] = match;
    const known = this.#values.get(name);
    if (key === undefined) {
      if (known !== undefined) throw sentTwice(name);
      this.#values.set(name, this.#read(name, text));
    } else if (key === "") {
      if (known !== undefined && !Array.isArray(known)) throw sentTwice(name);
      this.#values.set(name, [...((known as unknown[] | undefined) ?? []), text]);
    } else {
      if (known !== undefined && !(known instanceof Map)) throw sentTwice(name);
      const members = (known as Map<string, string> | undefined) ?? new Map<string, string>();
      if (members.has(key)) throw sentTwice(field);
      this.#values.set(name, members.set(key, text));
    }
  }

  /** Sets a member that the client may not send as a field. */
  set(name: string, value: unknown): void {
    if (this.#values.has(name)) throw sentTwice(name);
    this.#values.set(name, value);
  }

  /** Returns all fields as JSON. */
  toJson(): Buffer {
    const members = [...this.#values].map(([name, value]) => [
      name,
      value instanceof Map ? Object.fromEntries(value as Map<string, string>) : value,
    ]);
    return Buffer.from(JSON.stringify(Object.fromEntries(members)), "utf8");
  }

  #read(name: string, text: string): unknown {
    const schema = Object.hasOwn(this.#schemas, name) ? this.#schemas[name] : undefined;
    if (schema === undefined) return text;
    const types = typesOf(schema);
    if (types.has("boolean") && Object.hasOwn(booleans, text.toLowerCase())) return booleans[text.toLowerCase()];
    if ((types.has("number") || types.has("integer")) && NUMBER.test(text)) return Number(text);
    const isStructure = (types.has("object") && text.startsWith("{")) || (types.has("array") && text.startsWith("["));
    return isStructure ? readJson(text) : text;
  }
}

function typesOf(schema: FieldSchema): ReadonlySet<string> {
  return new Set([schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? []));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function sentTwice(name: string): Failure {
  return new Failure("invalid_request", `The form field '${name}' appears more than once.`, { param: name });
}
