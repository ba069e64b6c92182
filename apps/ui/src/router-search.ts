import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

/** URL query parameters as plain text, so that users can read and edit them. */
export type SearchValues = Readonly<Record<string, string | readonly string[] | undefined>>;

type SearchDefaults = Readonly<Record<string, string | readonly string[]>>;

/** Parses `?a=1&b=2&b=3`. A repeated name becomes a list. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values[name];
    values[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return values;
}

/** Formats query parameters. Empty values are omitted. */
export function stringifySearch(values: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") search.append(name, String(each));
    }
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

type Widened<Defaults> = {
  readonly [Name in keyof Defaults]: Defaults[Name] extends readonly string[] ? readonly string[] : string;
};

/**
 * Returns page state stored in the URL: filters, sort order, range, open panel. Default values are omitted from the
 * URL. A parameter is a list if its default is a list.
 */
export function useSearchState<const Defaults extends SearchDefaults>(
  defaults: Defaults,
): [Widened<Defaults>, (change: Partial<Widened<Defaults>>, options?: { replace?: boolean }) => void] {
  const search = useSearch({ strict: false }) as SearchValues;
  const navigate = useNavigate();
  const known = JSON.stringify(defaults);
  const shown = JSON.stringify(search);
  // Compare the values as text, because callers pass inline defaults and the URL is parsed on every render.
  const state = useMemo(() => {
    const [wanted, current] = [JSON.parse(known) as SearchDefaults, JSON.parse(shown) as SearchValues];
    const entries = Object.entries(wanted).map(([name, initial]) => [name, readValue(current[name], initial)] as const);
    return Object.fromEntries(entries) as Widened<Defaults>;
  }, [known, shown]);
  const set = useCallback(
    (change: Partial<Widened<Defaults>>, { replace = false } = {}) => {
      const initial = JSON.parse(known) as SearchDefaults;
      const next = (before: Record<string, unknown>) => {
        const merged: Record<string, unknown> = { ...before, ...change };
        for (const [name, value] of Object.entries(initial)) {
          if (JSON.stringify(merged[name]) === JSON.stringify(value)) delete merged[name];
        }
        return merged;
      };
      void navigate({ to: ".", search: next, replace, resetScroll: false });
    },
    [known, navigate],
  );
  return [state, set];
}

function readValue(value: string | readonly string[] | undefined, initial: string | readonly string[]) {
  if (value === undefined) return initial;
  if (Array.isArray(initial)) return Array.isArray(value) ? value : [value];
  return Array.isArray(value) ? (value.at(-1) ?? initial) : value;
}
