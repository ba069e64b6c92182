import { Outlet } from "@tanstack/react-router";
import { Moon, Sun } from "lucide-react";
import { Suspense } from "react";
import { useConfig } from "../api/config.ts";
import { ButtonLink, IconButton } from "../components/button.tsx";
import { isDark, toggleTheme, useTheme } from "./theme.ts";

/** Frame for public pages: instance name and sign-in link. */
export function PublicFrame() {
  const { instanceName } = useConfig();
  useTheme();
  const isNight = isDark();
  return (
    <div className="flex h-dvh flex-col">
      <header className="flex h-12 shrink-0 items-center gap-3 border-b border-border bg-bg px-4 sm:px-6">
        <img src="./icon.svg" alt="" width={20} height={20} />
        <span className="min-w-0 flex-1 truncate text-table font-medium">{instanceName}</span>
        <IconButton
          label={isNight ? "Light theme" : "Dark theme"}
          icon={isNight ? <Moon size={16} strokeWidth={1.5} /> : <Sun size={16} strokeWidth={1.5} />}
          onClick={toggleTheme}
        />
        <ButtonLink to="/login" variant="primary">
          Sign in
        </ButtonLink>
      </header>
      <main id="content" tabIndex={-1} className="relative min-h-0 flex-1 overflow-y-auto outline-none">
        <Suspense fallback={null}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  );
}
