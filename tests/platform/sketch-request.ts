import type { ManagementOperation } from "@tollgate/platform/operation.ts";
import type { Random } from "../random.ts";

/** A request that matches an operation's schemas, with IDs from a list in every field that refers to an object. */
export interface SketchedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly "x-amount"?: true;
}

/** Fields that refer to an object. All other fields are free text. */
const NAMES_SOMETHING = /(?:^|[a-z_])(?:id|ids)$|Id$|^(?:id|token|apiKey|team|member|key|search|cursor|actor|target)$/i;
const SOME_TEXT = ["alpha", "beta", "a longer text", "2026-11-01", "https://93.184.215.14/hook"];

/** Draws a request for the operation. */
export function sketchRequest(operation: ManagementOperation, ids: readonly string[], random: Random): SketchedRequest {
  const path = operation.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(random.pick(ids)));
  const query = new URLSearchParams();
  for (const [name, field] of Object.entries((operation.query as Schema | undefined)?.properties ?? {})) {
    if (random.chance(0.4)) query.append(name, toText(draw(name, field, ids, random)));
  }
  const search = query.size === 0 ? "" : `?${query}`;
  return {
    method: operation.method,
    path: path + search,
    ...(operation.body !== undefined && {
      body: draw("body", operation.body as Schema, ids, random) as Record<string, unknown>,
    }),
    headers:
      operation.idempotency === "required" ? { "idempotency-key": `key-${random.integer(1, 1_000_000_000)}` } : {},
  };
}

function draw(name: string, schema: Schema, ids: readonly string[], random: Random): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  if (schema["x-amount"] === true) return random.pick([5_000_000_000, 1_000, "5000000000"]);
  if (schema.anyOf !== undefined) return draw(name, random.pick(schema.anyOf), ids, random);
  if (schema.type === "integer" || schema.type === "number") {
    return random.integer(schema.minimum ?? 1, Math.min(schema.maximum ?? 100, 100));
  }
  if (schema.type === "boolean") return random.chance(0.5);
  if (schema.type === "null") return null;
  if (schema.type === "array") return [draw(name, schema.items ?? {}, ids, random)];
  if (schema.properties !== undefined) {
    const named = Object.entries(schema.properties).filter(
      ([field]) => schema.required?.includes(field) || random.chance(0.5),
    );
    return Object.fromEntries(named.map(([field, inner]) => [field, draw(field, inner, ids, random)]));
  }
  if (schema.type === "object") return {};
  if (NAMES_SOMETHING.test(name)) return random.pick(ids);
  if (/email/i.test(name)) return `user-${random.integer(1, 1_000_000)}@example.org`;
  return random.pick(SOME_TEXT);
}

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
