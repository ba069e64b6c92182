import type { ReactNode } from "react";

export interface PaletteEntry {
  readonly id: string;
  readonly section: string;
  readonly label: string;
  readonly note?: string;
  readonly keys?: string;
  readonly icon: ReactNode;
  /** Additional search terms. */
  readonly words?: string;
  run(): void;
}

const MAX_PER_SECTION = 5;

/**
 * Returns the entries that contain every search word, best match first within each section: entries that start with the
 * query, then entries that contain a word that starts with the query, then all other entries.
 */
export function findEntries(entries: readonly PaletteEntry[], question: string): readonly PaletteEntry[] {
  const words = question
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const scored = entries.flatMap((entry) => {
    const label = entry.label.toLowerCase();
    const text = `${label} ${entry.note?.toLowerCase() ?? ""} ${entry.words?.toLowerCase() ?? ""}`;
    if (!words.every((word) => text.includes(word))) return [];
    const first = words[0] ?? "";
    const score = label.startsWith(first) ? 0 : label.split(/[\s/_-]+/).some((part) => part.startsWith(first)) ? 1 : 2;
    return [{ entry, score }];
  });
  const sections = [...new Set(entries.map(({ section }) => section))];
  return sections.flatMap((section) =>
    scored
      .filter(({ entry }) => entry.section === section)
      .sort((one, other) => one.score - other.score)
      .slice(0, MAX_PER_SECTION)
      .map(({ entry }) => entry),
  );
}

/** Reports whether the text is a request ID that can be opened directly. */
export function isCallId(text: string): boolean {
  return /^(use_|req_|call_)[\w-]{6,}$/.test(text.trim()) || /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text.trim());
}
