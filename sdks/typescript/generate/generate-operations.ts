import type { ManagementAnswerDescription } from "@tollgate/contracts/management/operation.ts";
import { managementOperations } from "@tollgate/platform/operations.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly description?: string;
  readonly default?: unknown;
  readonly "x-amount"?: true;
}

/** The operations of the management interface as types, and where each is, from the table the platform itself serves. */
export function describeOperations(): string {
  const operations = [...managementOperations()].sort((one, other) => (one.id < other.id ? -1 : 1));
  const types = operations.map((operation) => {
    const success = Object.entries(operation.answers).find(([status]) => Number(status) < 300)?.[1];
    const parts = [
      ...(operation.path.includes("{") ? [`params: ${paramsOf(operation.path)}`] : []),
      ...(operation.query === undefined ? [] : [`query?: ${typeOf(operation.query as Schema, "request")}`]),
      ...(operation.body === undefined ? [] : [`body: ${typeOf(operation.body as Schema, "request")}`]),
      `answer: ${answerOf(success)}`,
    ];
    return `  /** ${operation.summary} */\n  ${operation.id}: { ${parts.join("; ")} };`;
  });
  const paths = operations.map(({ id, method, path }) => `  ${id}: ["${method}", "${path}"],`);
  return [
    "// Generated from the table of operations. Do not edit: bin/pnpm generate writes it anew.",
    "",
    "export interface Operations {",
    ...types,
    "}",
    "",
    "export const operationPaths: { readonly [Id in keyof Operations]: readonly [method: string, path: string] } = {",
    ...paths,
    "};",
    "",
  ].join("\n");
}

/** An answer of another type than JSON is its text; one without either is nothing. */
function answerOf(success: ManagementAnswerDescription | undefined): string {
  if (success?.schema !== undefined) return typeOf(success.schema as Schema, "answer");
  return success?.contentType === undefined ? "undefined" : "string";
}

function paramsOf(path: string): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string | number`);
  return `{ ${names.join("; ")} }`;
}

function typeOf(schema: Schema, side: "request" | "answer"): string {
  if (schema["x-amount"] === true) return "bigint | number | string";
  if (schema.type === "integer" && schema.description === "nano-USD") return "bigint";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((variant) => typeOf(variant, side)))].join(" | ");
  if (schema.type === "array") return `readonly (${typeOf(schema.items ?? {}, side)})[]`;
  if (schema.type === "string") return "string";
  if (schema.type === "boolean") return "boolean";
  if (schema.type === "null") return "null";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.properties !== undefined) return objectType(schema, side);
  const values = Object.values(schema.patternProperties ?? {})[0];
  return schema.type === "object"
    ? `Readonly<Record<string, ${values === undefined ? "unknown" : typeOf(values, side)}>>`
    : "unknown";
}

function objectType(schema: Schema, side: "request" | "answer"): string {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    // A default makes a field of a request optional; an answer has it always.
    const isOptional = !schema.required?.includes(name) || (side === "request" && member.default !== undefined);
    return `readonly ${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}${isOptional ? "?" : ""}: ${typeOf(member, side)}`;
  });
  const others = side === "request" && schema.additionalProperties === true ? ["[name: string]: unknown"] : [];
  return `{ ${[...members, ...others].join("; ")} }`;
}
