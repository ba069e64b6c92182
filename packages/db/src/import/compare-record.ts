/** Result of importing a record, or of a dry run. */
export type ImportOutcome =
  | { readonly kind: "created" }
  | { readonly kind: "changed"; readonly fields: readonly string[] }
  | { readonly kind: "unchanged" }
  /** The record was deliberately changed in Tollgate, so the import doesn't change it. */
  | { readonly kind: "kept"; readonly reason: string };

/** Returns the names of fields whose values differ. */
export function differingFields<Record extends object>(current: Record, wanted: Record): readonly string[] {
  return (Object.keys(wanted) as (keyof Record & string)[]).filter(
    (name) => canonical(current[name]) !== canonical(wanted[name]),
  );
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "bigint") return member.toString();
    if (member === null || typeof member !== "object" || Array.isArray(member) || member instanceof Date) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)));
  });
}
