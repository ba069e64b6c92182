import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { toggleTheme } from "./theme.ts";

/** Event for the open list page: opens its create form. */
const CREATE_EVENT = "tollgate:create";
/** Event for the open page: focuses its search box. */
export const SEARCH_EVENT = "tollgate:search";

const DESTINATIONS: Readonly<Record<string, string>> = {
  h: "/",
  l: "/logs",
  u: "/usage",
  k: "/keys",
  m: "/model_hub_table",
  p: "/playground",
};
/** Maximum time between the keys of a sequence such as `g h`. */
const SEQUENCE_MS = 1_200;

export const shortcutList: readonly (readonly [keys: string, does: string])[] = [
  ["Ctrl K", "Search or jump to anything"],
  ["g h", "Home"],
  ["g l", "Logs"],
  ["g u", "Usage"],
  ["g k", "API keys"],
  ["g m", "Models"],
  ["g p", "Playground"],
  ["c", "Create (on list pages)"],
  ["/", "Search on this page"],
  ["j k", "Next or previous row"],
  ["Enter", "Open row"],
  ["[ ]", "Previous or next item in the open panel"],
  ["Esc", "Close"],
  ["t", "Toggle theme"],
  ["?", "Show shortcuts"],
];

interface Actions {
  readonly isEnabled: boolean;
  openPalette(): void;
  openHelp(): void;
}

/** Handles global keyboard shortcuts, except while the user is typing. */
export function useShortcuts({ isEnabled, openPalette, openHelp }: Actions): void {
  const navigate = useNavigate();
  const leaderAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return openPalette();
      }
      if (!isEnabled || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const isSecond = event.timeStamp - leaderAt.current < SEQUENCE_MS;
      leaderAt.current = Number.NEGATIVE_INFINITY;
      const destination = isSecond ? DESTINATIONS[event.key] : undefined;
      if (destination !== undefined) return void navigate({ to: destination });
      const act = plain[event.key];
      if (event.key === "g") leaderAt.current = event.timeStamp;
      else if (event.key === "?") openHelp();
      else if (act !== undefined) {
        event.preventDefault();
        act();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isEnabled, navigate, openPalette, openHelp]);
}

const plain: Readonly<Record<string, () => void>> = {
  t: toggleTheme,
  c: () => document.dispatchEvent(new CustomEvent(CREATE_EVENT)),
  "/": () => document.dispatchEvent(new CustomEvent(SEARCH_EVENT)),
};

/** Calls `create` when the user presses the create key on this page. */
export function useCreateShortcut(create: () => void): void {
  const latest = useRef(create);
  latest.current = create;
  useEffect(() => {
    const run = () => latest.current();
    document.addEventListener(CREATE_EVENT, run);
    return () => document.removeEventListener(CREATE_EVENT, run);
  }, []);
}

/** Reports whether key presses belong to a field or to a layer above the page. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest("[role=dialog]") !== null
  );
}
