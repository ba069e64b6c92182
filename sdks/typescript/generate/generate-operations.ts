import type { AnswerDescription } from "@tollgate/contracts/operations.ts";
import { managementOperations } from "@tollgate/platform/operations.ts";
import { type Schema, typeOf } from "./schema-type.ts";

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
function answerOf(success: AnswerDescription | undefined): string {
  if (success?.schema !== undefined) return typeOf(success.schema as Schema, "answer");
  return success?.contentType === undefined ? "undefined" : "string";
}

function paramsOf(path: string): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string | number`);
  return `{ ${names.join("; ")} }`;
}
