import type { Option } from "./select-face.tsx";

/** Filter values of a page, each a string or a list of strings. An empty value matches all rows. */
export type FilterValues = { readonly [name: string]: string | readonly string[] };

export interface Filter<Name extends string = string> {
  readonly name: Name;
  readonly label: string;
  readonly kind: "one" | "many" | "text" | "number" | "flag";
  readonly options?: readonly Option[];
}

/** The value of a flag filter that is on. */
export const FLAG_ON = "true";

/** Returns the values of a filter; an empty list if the filter isn't set. */
export function filterTexts(values: FilterValues, name: string): readonly string[] {
  const value = values[name] ?? "";
  if (typeof value !== "string") return value;
  return value === "" ? [] : [value];
}

export function isFilterSet(values: FilterValues, filter: Filter): boolean {
  return filterTexts(values, filter.name).length > 0;
}

/** Describes the filter's value with its option labels. */
export function describeFilter(values: FilterValues, filter: Filter): string {
  const texts = filterTexts(values, filter.name);
  if (filter.kind === "flag") return texts.length > 0 ? "on" : "any";
  if (texts.length === 0) return "any";
  const labels = texts.map((text) => filter.options?.find(({ value }) => value === text)?.label ?? text);
  return labels.length > 2 ? `${labels[0]} and ${labels.length - 1} more` : labels.join(", ");
}

/** Returns the change that clears these filters. */
export function clearedFilters<Values extends FilterValues>(
  values: Values,
  filters: readonly Filter[],
): Partial<Values> {
  const entries = filters.map(({ name }) => [name, Array.isArray(values[name]) ? [] : ""] as const);
  return Object.fromEntries(entries) as Partial<Values>;
}
