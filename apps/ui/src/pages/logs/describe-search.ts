import { plural } from "../../format/plural.ts";

interface Searched {
  readonly contents: number;
  readonly unreadable: number;
}

/** Describes what a search in stored contents covered: all of the period, or the part back to a time. */
export function describeSearch(searches: readonly Searched[], backTo: string | null): string {
  const sum = (of: (searched: Searched) => number) => searches.reduce((total, searched) => total + of(searched), 0);
  const contents = sum((searched) => searched.contents);
  const unreadable = sum((searched) => searched.unreadable);
  const requests = `${plural(contents, "request")} with stored content`;
  const lost = unreadable === 0 ? "" : ` ${plural(unreadable, "stored content")} could not be decrypted.`;
  if (backTo !== null) return `Searched ${requests}, back to ${backTo}.${lost}`;
  if (contents === 0) return `No readable stored content in this period.${lost}`;
  return `Searched all ${requests} in this period.${lost}`;
}
