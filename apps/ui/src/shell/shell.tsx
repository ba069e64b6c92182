import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { Suspense, useCallback, useEffect, useState } from "react";
import { useCall } from "../api/queries.ts";
import { DensityContext } from "../components/density.ts";
import { Dialog } from "../components/dialog.tsx";
import { Sheet } from "../components/sheet.tsx";
import { ZoneContext } from "../components/zone.ts";
import { StateBanner, useBurn } from "./banner.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { bottomBar } from "./navigation.ts";
import { shortcutList, useShortcuts } from "./shortcuts.ts";
import { Sidebar } from "./sidebar.tsx";
import { SignInAgain } from "./sign-in-again.tsx";
import { TopBar } from "./top-bar.tsx";
import { useZone } from "./use-range.ts";

const RAIL_STORED = "tollgate.sidebar";

/** Frame for every signed-in page. */
export function Shell() {
  const [isRail, setRail] = useState(() => localStorage.getItem(RAIL_STORED) === "rail");
  const [layer, setLayer] = useState<"palette" | "shortcuts" | "menu" | null>(null);
  const preferences = useCall("getPreferences", {}, { staleMs: 300_000 });
  const isBannerPending = useBurn().isPending;
  const openPalette = useCallback(() => setLayer("palette"), []);
  const openHelp = useCallback(() => setLayer("shortcuts"), []);
  const close = useCallback(() => setLayer(null), []);
  useShortcuts({ isEnabled: preferences.data?.preferences.shortcuts !== false, openPalette, openHelp });
  useEffect(() => localStorage.setItem(RAIL_STORED, isRail ? "rail" : "wide"), [isRail]);
  return (
    <ZoneContext value={useZone()}>
      <DensityContext value={preferences.data?.preferences.density ?? "default"}>
        <div className="flex h-dvh print:block print:h-auto">
          <a
            href="#content"
            className="fixed top-2 left-2 z-50 -translate-y-20 rounded-control bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
          >
            Skip to content
          </a>
          <aside
            aria-label="Menu"
            className={`hidden shrink-0 border-r border-border lg:block print:hidden ${isRail ? "w-14" : "w-[232px]"}`}
          >
            <Sidebar isRail={isRail} onToggle={() => setRail(!isRail)} />
          </aside>
          <div className="flex min-w-0 flex-1 flex-col">
            <TopBar onSearch={openPalette} onShortcuts={openHelp} onMenu={() => setLayer("menu")} />
            <LoadingLine />
            <StateBanner />
            <main
              id="content"
              tabIndex={-1}
              // The page waits for the banner, because a banner that appears later would move buttons under the
              // pointer.
              // It is positioned, because text for screen readers is positioned absolutely and would otherwise extend the
              // document, which then shows a second scrollbar.
              className={`relative min-h-0 flex-1 overflow-y-auto outline-none print:overflow-visible ${isBannerPending ? "pointer-events-none opacity-0" : ""}`}
            >
              <Suspense fallback={null}>
                <Outlet />
              </Suspense>
            </main>
            <BottomBar />
          </div>
          <CommandPalette open={layer === "palette"} onClose={close} onShortcuts={openHelp} />
          <Dialog title="Keyboard shortcuts" open={layer === "shortcuts"} onClose={close}>
            <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-table">
              {shortcutList.map(([keys, does]) => (
                <div key={keys} className="contents">
                  <dt className="font-mono text-muted">{keys}</dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </Dialog>
          <Sheet title="Menu" side="left" open={layer === "menu"} onClose={close}>
            <Sidebar isRail={false} onToggle={close} onFollow={close} />
          </Sheet>
          <SignInAgain />
        </div>
      </DensityContext>
    </ZoneContext>
  );
}

/** Two-pixel line while a page is loading. */
function LoadingLine() {
  const isLoading = useRouterState({ select: ({ status }) => status === "pending" });
  return <div aria-hidden className={`h-0.5 shrink-0 ${isLoading ? "animate-pulse bg-accent" : "-mb-0.5"}`} />;
}

function BottomBar() {
  return (
    <nav aria-label="Main pages" className="flex shrink-0 border-t border-border bg-surface sm:hidden print:hidden">
      {bottomBar.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/", includeSearch: false }}
          className="flex h-14 flex-1 flex-col items-center justify-center gap-1 border-t-2 border-transparent text-[11px] text-muted"
          activeProps={{ "aria-current": "page", className: "border-accent! font-medium text-accent!" }}
        >
          <Icon size={18} strokeWidth={1.5} aria-hidden />
          {label}
        </Link>
      ))}
    </nav>
  );
}
