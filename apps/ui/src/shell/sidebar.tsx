import { Link } from "@tanstack/react-router";
import { PanelLeft } from "lucide-react";
import { useConfig } from "../api/config.ts";
import { useMe } from "../api/me.ts";
import { IconButton } from "../components/button.tsx";
import { navigationOf } from "./navigation.ts";
import { OrganizationSwitcher } from "./organization-switcher.tsx";
import { OwnEntries } from "./own-entries.tsx";
import { Runway } from "./runway.tsx";

interface SidebarProps {
  readonly isRail: boolean;
  readonly onToggle: () => void;
  /** Called after the user selects a link, to close the drawer on small screens. */
  readonly onFollow?: () => void;
}

/** Sidebar for every signed-in page: organization, pages, and runway. */
export function Sidebar({ isRail, onToggle, onFollow }: SidebarProps) {
  const { isAdministrator } = useMe();
  const { training } = useConfig();
  return (
    <div className="flex h-full flex-col bg-sunken">
      <OrganizationSwitcher isRail={isRail} />
      <nav aria-label="Pages" className="min-h-0 flex-1 overflow-y-auto px-2 py-2">
        {navigationOf({ isAdministrator, hasTraining: training }).map(({ title, entries }) => (
          <div key={title ?? "start"} className="mb-1.5">
            {title !== null && !isRail && <p className="px-2 pt-1.5 pb-1 text-meta text-muted">{title}</p>}
            <ul>
              {entries.map(({ to, label, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: to === "/", includeSearch: false }}
                    title={isRail ? label : undefined}
                    onClick={onFollow}
                    className="relative flex h-7 items-center gap-2.5 rounded-control border border-transparent px-2 text-table text-muted hover:bg-hover hover:text-text pointer-coarse:h-11"
                    activeProps={{
                      "aria-current": "page",
                      className:
                        "border-border! bg-surface! font-medium text-text! before:absolute before:-left-2 before:h-4 before:w-0.5 before:rounded-full before:bg-accent",
                    }}
                  >
                    <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
                    <span className={isRail ? "sr-only" : "truncate"}>{label}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {onFollow !== undefined && <OwnEntries onFollow={onFollow} />}
      </nav>
      <div className="hidden px-2 pb-1 lg:block">
        <IconButton
          label={isRail ? "Expand sidebar" : "Collapse sidebar"}
          icon={<PanelLeft size={16} strokeWidth={1.5} />}
          onClick={onToggle}
        />
      </div>
      {!isRail && <Runway form="sidebar" />}
    </div>
  );
}
