import type { CatalogModel } from "@tollgate/db/catalog/models.ts";

/** Returns the audited fields of a model: all fields that were set, without derived values. */
export function auditedModel(model: CatalogModel): Record<string, unknown> {
  const { price, priceVersionId, createdAt, updatedAt, providerKind, deprecatedAt, ...decided } = model;
  return { ...decided, priceVersionId, ...(price !== null && { price: { ...price } }) };
}

/** Returns only the differences between two states, for the audit log. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): { readonly before: Record<string, unknown>; readonly after: Record<string, unknown> } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => toText(before[name]) !== toText(after[name]));
  const pick = (state: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(changed.map((name) => [name, state[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}

const toText = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, member: unknown) => (typeof member === "bigint" ? `${member}n` : member));
