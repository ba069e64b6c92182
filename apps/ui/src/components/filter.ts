import type { Option } from "./select.tsx";

/** What a page keeps about its filters: a text each, or a list of texts; empty means any. */
export type FilterValues = { readonly [name: string]: string | readonly string[] };

export interface Filter<Name extends string = string> {
  readonly name: Name;
  readonly label: string;
  readonly kind: "one" | "many" | "text" | "number" | "flag";
  readonly options?: readonly Option[];
}

/** The value of a flag that is on. */
export const FLAG_ON = "true";

/** The values of a filter, none when it lets everything through. */
export function filterTexts(values: FilterValues, name: string): readonly string[] {
  const value = values[name] ?? "";
  if (typeof value !== "string") return value;
  return value === "" ? [] : [value];
}

export function isFilterSet(values: FilterValues, filter: Filter): boolean {
  return filterTexts(values, filter.name).length > 0;
}

/** What the filter is set to, in the words of its options. */
export function describeFilter(values: FilterValues, filter: Filter): string {
  const texts = filterTexts(values, filter.name);
  if (filter.kind === "flag") return texts.length > 0 ? "on" : "any";
  if (texts.length === 0) return "any";
  const labels = texts.map((text) => filter.options?.find(({ value }) => value === text)?.label ?? text);
  return labels.length > 2 ? `${labels[0]} and ${labels.length - 1} more` : labels.join(", ");
}

/** The change that sets these filters back. */
export function clearedFilters<Values extends FilterValues>(
  values: Values,
  filters: readonly Filter[],
): Partial<Values> {
  const entries = filters.map(({ name }) => [name, Array.isArray(values[name]) ? [] : ""] as const);
  return Object.fromEntries(entries) as Partial<Values>;
}
