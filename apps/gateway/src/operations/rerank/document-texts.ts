import type { RerankRequest } from "@tollgate/contracts/rerank/rerank-request.ts";

type RequestedDocuments = Pick<RerankRequest, "documents" | "rank_fields">;

/**
 * Returns the text of each document as a model reads it. An object's text is its `text` member or, if it has none, its
 * fields, one per line.
 */
export function documentTexts({ documents, rank_fields: fields }: RequestedDocuments): readonly string[] {
  return documents.map((document) =>
    typeof document === "string" ? document : textOf(document as Record<string, unknown>, fields ?? null),
  );
}

function textOf(document: Readonly<Record<string, unknown>>, fields: readonly string[] | null): string {
  if (fields === null && typeof document.text === "string") return document.text;
  const names = fields ?? Object.keys(document);
  return names.flatMap((name) => (Object.hasOwn(document, name) ? [lineOf(name, document[name])] : [])).join("\n");
}

function lineOf(name: string, value: unknown): string {
  return `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
}
