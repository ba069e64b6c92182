/** What bringing a record here did, or would do. */
export type ImportOutcome =
  | { readonly kind: "created" }
  | { readonly kind: "changed"; readonly fields: readonly string[] }
  | { readonly kind: "unchanged" }
  /** It is here in another form that somebody chose, and stays so. */
  | { readonly kind: "kept"; readonly reason: string };

/** The fields that differ, by value. */
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
