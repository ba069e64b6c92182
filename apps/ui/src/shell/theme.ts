import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const STORED = "tollgate.theme";
const listeners = new Set<() => void>();

function readTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** Shows the console in a theme from now on, here and at the next visit. */
export function setTheme(theme: Theme): void {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(STORED);
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(STORED, theme);
  }
  for (const listener of listeners) listener();
}

/** Whether the page is dark now, whoever decided it. */
export function isDark(): boolean {
  const theme = readTheme();
  return theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
}

/** The other of the two. */
export function toggleTheme(): void {
  setTheme(isDark() ? "light" : "dark");
}

/** The chosen theme, and again whenever it changes. */
export function useTheme(): Theme {
  return useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, readTheme);
}
