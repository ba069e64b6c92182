import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { BookOpen, CircleHelp, Keyboard, LogOut, Menu as MenuIcon, Moon, Search, Sun, UserRound } from "lucide-react";
import { useConfig } from "../api/config.ts";
import { useMe } from "../api/me.ts";
import { useCall } from "../api/queries.ts";
import { IconButton } from "../components/button.tsx";
import { Menu } from "../components/menu.tsx";
import { Runway } from "./runway.tsx";
import { signOut } from "./sign-out.ts";
import { isDark, toggleTheme, useTheme } from "./theme.ts";

interface TopBarProps {
  readonly onSearch: () => void;
  readonly onShortcuts: () => void;
  readonly onMenu: () => void;
}

/** Breadcrumbs, global search, and account menu. On phones, the runway replaces the breadcrumbs. */
export function TopBar({ onSearch, onShortcuts, onMenu }: TopBarProps) {
  const { user } = useMe();
  const { docsUrl } = useConfig();
  const navigate = useNavigate();
  useTheme();
  const isNight = isDark();
  const initials = initialsOf(user?.name ?? user?.email ?? "");
  return (
    <header className="print:hidden sticky top-0 z-20 flex h-12 shrink-0 items-center gap-2 border-b border-border bg-bg px-3 sm:px-6">
      <div className="flex min-w-0 flex-1 items-center gap-3 sm:hidden">
        <Runway form="bar" />
      </div>
      <Trail />
      <button
        type="button"
        onClick={onSearch}
        className="hidden h-8 w-52 items-center gap-2 rounded-control border border-outline-soft bg-surface px-2.5 text-table text-muted hover:bg-hover sm:flex"
      >
        <Search size={14} strokeWidth={1.5} aria-hidden />
        <span className="flex-1 text-left">Search or jump to</span>
        <kbd className="rounded-[4px] border border-border bg-sunken px-1.5 font-sans text-[11px]">Ctrl K</kbd>
      </button>
      <span className="sm:hidden">
        <IconButton label="Search or jump to" icon={<Search size={16} strokeWidth={1.5} />} onClick={onSearch} />
      </span>
      <span className="hidden sm:contents">
        <Menu
          label="Help"
          trigger={<IconButton label="Help" icon={<CircleHelp size={16} strokeWidth={1.5} />} />}
          items={[
            {
              label: "API reference",
              icon: <BookOpen size={14} />,
              onSelect: () => window.open(docsUrl, "_blank", "noopener"),
            },
            { label: "Keyboard shortcuts", icon: <Keyboard size={14} />, onSelect: onShortcuts },
          ]}
        />
        <IconButton
          label={isNight ? "Light theme" : "Dark theme"}
          icon={isNight ? <Moon size={16} strokeWidth={1.5} /> : <Sun size={16} strokeWidth={1.5} />}
          onClick={toggleTheme}
        />
      </span>
      <Menu
        label="Your account"
        trigger={
          <button
            type="button"
            aria-label={`Your account, ${initials}`}
            className="hidden size-7 place-items-center rounded-full bg-accent-soft text-[11px] font-semibold text-accent sm:grid"
          >
            {initials}
          </button>
        }
        items={[
          { label: "Account", icon: <UserRound size={14} />, onSelect: () => void navigate({ to: "/settings" }) },
          { label: "Sign out", icon: <LogOut size={14} />, onSelect: () => void signOut() },
        ]}
      />
      <span className="lg:hidden">
        <IconButton label="Menu" icon={<MenuIcon size={16} strokeWidth={1.5} />} onClick={onMenu} />
      </span>
    </header>
  );
}

/** Breadcrumbs: organization, page, and open item. */
function Trail() {
  const { organization } = useMe();
  const { pathname } = useLocation();
  // A model name is one part, even if it contains slashes.
  const [first = "", ...rest] = pathname.split("/").filter((part) => part !== "");
  const below = first === "model_hub_table" && rest.length > 0 ? [rest.join("/")] : rest;
  const parts = first === "" ? [] : [first, ...below];
  // Use only data that the page has already loaded, so that breadcrumbs send no requests.
  const idUnder = (page: string) => (parts[0] === page ? (parts[1] ?? "") : "");
  const team = useCall("getTeam", { params: { id: idUnder("teams") } }, { enabled: false }).data?.team;
  const key = useCall("getApiKey", { params: { id: idUnder("keys") } }, { enabled: false }).data?.apiKey;
  const known = [team, key].find((each) => each !== undefined && each.id === parts[1]);
  const names = parts.length === 0 ? ["Home"] : parts.map((part) => (part === known?.id ? known.name : nameOf(part)));
  return (
    <nav aria-label="Breadcrumb" className="hidden min-w-0 flex-1 sm:block">
      <ol className="flex min-w-0 items-center gap-2 text-table text-muted">
        <li className="truncate">{organization?.name}</li>
        {names.map((name, index) => (
          <li key={parts[index] ?? "home"} className="flex min-w-0 items-center gap-2">
            <span aria-hidden>›</span>
            {index === names.length - 1 || withoutPage.has(parts[index] ?? "") ? (
              <span className={index === names.length - 1 ? "truncate font-medium text-text" : "truncate"}>{name}</span>
            ) : (
              <Link to={`/${parts.slice(0, index + 1).join("/")}`} className="truncate hover:text-text">
                {name}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Path segments that have no page. */
const withoutPage = new Set(["admin", "cli", "checkout", "receipts", "threads", "tools"]);

const names: Readonly<Record<string, string>> = {
  model_hub_table: "Models",
  keys: "API keys",
  admin: "Admin",
  cli: "CLI",
  settings: "Settings",
  inspect: "Inspector",
};

function nameOf(part: string): string {
  return (
    names[part] ?? (/[_\d/]/.test(part) ? decodeURIComponent(part) : part.slice(0, 1).toUpperCase() + part.slice(1))
  );
}

function initialsOf(name: string): string {
  const words = name.split(/[\s@.]+/).filter((word) => word !== "");
  return words
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join("");
}
