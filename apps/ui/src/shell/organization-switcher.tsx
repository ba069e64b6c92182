import { useQueryClient } from "@tanstack/react-query";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { ChevronsUpDown } from "lucide-react";
import { useMe } from "../api/me.ts";
import { useCall, useChange } from "../api/queries.ts";
import { Menu } from "../components/menu.tsx";

/** Switches the active organization without leaving the page. */
export function OrganizationSwitcher({ isRail }: { readonly isRail: boolean }) {
  const { organization, organizations } = useMe();
  const queries = useQueryClient();
  const burn = useCall("getBurnRate", {}, { staleMs: 30_000 });
  const activate = useChange("updateActiveOrganization", {
    // All data on the page belongs to the previous organization.
    onDone: () => void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "config" }),
  });
  const name = organization?.name ?? "No organization";
  const role = organization === null ? "" : organization.role[0]?.toUpperCase() + organization.role.slice(1);
  const balance = burn.data === undefined ? "" : formatMoney(burn.data.burn.balance);
  return (
    <Menu
      label="Switch organization"
      trigger={
        <button
          type="button"
          className="flex h-14 w-full items-center gap-2.5 border-b border-border px-3 text-left hover:bg-hover"
        >
          <span
            aria-hidden
            className="grid size-7 shrink-0 place-items-center rounded-control bg-s-gw text-table font-semibold text-bg"
          >
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className={isRail ? "sr-only" : "min-w-0 flex-1"}>
            <span className="block truncate font-semibold">{name}</span>
            <span className="block truncate text-meta text-muted">{[role, balance].filter(Boolean).join(" · ")}</span>
          </span>
          {!isRail && <ChevronsUpDown size={14} strokeWidth={1.5} aria-hidden className="shrink-0" />}
        </button>
      }
      items={organizations.map(({ id, name: label }) => ({
        label: id === organization?.id ? `${label} (active)` : label,
        onSelect: () => activate.mutate({ body: { organizationId: id } }),
      }))}
    />
  );
}
