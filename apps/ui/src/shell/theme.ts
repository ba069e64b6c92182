import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const STORED = "tollgate.theme";
const listeners = new Set<() => void>();

function readTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** Sets the theme and stores it for the next visit. */
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

/** Reports whether the page uses the dark theme, based on the user or system setting. */
export function isDark(): boolean {
  const theme = readTheme();
  return theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
}

/** Switches between light and dark. */
export function toggleTheme(): void {
  setTheme(isDark() ? "light" : "dark");
}

/** Returns the chosen theme and updates when it changes. */
export function useTheme(): Theme {
  return useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, readTheme);
}
