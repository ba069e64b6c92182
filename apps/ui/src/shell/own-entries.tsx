import { Link } from "@tanstack/react-router";
import { LogOut, Moon, Sun, UserRound } from "lucide-react";
import { useMe } from "../api/me.ts";
import { signOut } from "./sign-out.ts";
import { isDark, toggleTheme, useTheme } from "./theme.ts";

const ENTRY = "flex h-11 w-full items-center gap-2.5 rounded-control px-2 text-table text-muted hover:bg-hover";

/** Entries that don't fit in the top bar on phones: account, theme, sign out. */
export function OwnEntries({ onFollow }: { readonly onFollow: () => void }) {
  const { user } = useMe();
  useTheme();
  const isNight = isDark();
  const Theme = isNight ? Sun : Moon;
  return (
    <div className="mb-1.5 sm:hidden">
      <p className="truncate px-2 pt-1.5 pb-1 text-meta text-muted">{user?.email}</p>
      <ul>
        <li>
          <Link to="/settings" onClick={onFollow} className={ENTRY}>
            <UserRound size={16} strokeWidth={1.5} aria-hidden />
            Account
          </Link>
        </li>
        <li>
          <button type="button" onClick={toggleTheme} className={ENTRY}>
            <Theme size={16} strokeWidth={1.5} aria-hidden />
            {isNight ? "Light theme" : "Dark theme"}
          </button>
        </li>
        <li>
          <button type="button" onClick={() => void signOut()} className={ENTRY}>
            <LogOut size={16} strokeWidth={1.5} aria-hidden />
            Sign out
          </button>
        </li>
      </ul>
    </div>
  );
}
