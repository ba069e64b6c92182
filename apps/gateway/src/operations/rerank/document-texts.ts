import type { RerankRequest } from "@tollgate/contracts/rerank/rerank-request.ts";

type RequestedDocuments = Pick<RerankRequest, "documents" | "rank_fields">;

/**
 * Returns the documents as the texts that a model reads. An object's text is its `text` member, or otherwise its fields
 * line by line.
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
