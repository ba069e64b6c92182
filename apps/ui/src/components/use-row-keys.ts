import { type KeyboardEvent, type RefObject, useEffect } from "react";
import { isTyping } from "../shell/shortcuts.ts";
import type { DataTableProps } from "./data-table-props.ts";

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/**
 * Moves through the rows with j, k, and the arrow keys, and opens a row with Enter. An open detail panel handles j and
 * k.
 */
export function useRowKeys<Row>(props: DataTableProps<Row>, frame: RefObject<HTMLElement | null>) {
  const { openKey, onOpen, rows, rowKey } = props;

  // If the detail panel moved to another row while the list had the focus, move the focus to that row.
  useEffect(() => {
    const focused = document.activeElement?.closest("[data-row]");
    if (!openKey || !focused || !frame.current?.contains(focused)) return;
    findRow(frame, openKey)?.focus();
  }, [openKey, frame]);

  return (event: KeyboardEvent) => {
    // If the frame of a long list has the focus, the j key focuses the first visible row.
    if (onOpen && event.target === frame.current && event.key === "j") {
      frame.current?.querySelector<HTMLElement>("[data-row]")?.focus();
      return;
    }
    const row = (event.target as Element).closest<HTMLElement>("[data-row]");
    if (!onOpen || row === null || isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
    const index = rows.findIndex((each) => rowKey(each) === row.dataset.row);
    if (event.key === "Enter" && event.target === row) {
      const current = rows[index];
      if (current !== undefined) onOpen(current);
      return;
    }
    const step = STEPS[event.key];
    if (step === undefined || (openKey && !event.key.startsWith("Arrow"))) return;
    const next = rows[index + step];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    findRow(frame, rowKey(next))?.focus();
  };
}

function findRow(frame: RefObject<HTMLElement | null>, key: string): HTMLElement | null {
  return frame.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`) ?? null;
}
