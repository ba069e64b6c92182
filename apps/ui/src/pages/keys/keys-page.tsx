import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useCall } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Kbd } from "../../components/kbd.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useSearchState } from "../../router-search.ts";
import { useCreateShortcut } from "../../shell/shortcuts.ts";
import { isIdle } from "./api-key.ts";
import { AtCapNotice } from "./at-cap-notice.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { CreateKeyPanel } from "./create-key-panel.tsx";
import { KeyCard, type KeyQuery, keyColumns } from "./key-columns.tsx";
import type { NewSecret } from "./new-secret.ts";
import { SecretDialog } from "./secret-dialog.tsx";

const PAGE_SIZE = 100;
const IDLE_DAYS = 30;

const defaults = { search: "", team: "", status: [], unused: "", sort: "-createdAt", page: "1", create: "" } as const;

const statusOptions = [
  { value: "active", label: "Active" },
  { value: "disabled", label: "Blocked" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Deleted" },
];

/** The organization's keys with permissions, spend, and status. */
export function KeysPage() {
  const [state, set] = useSearchState(defaults);
  const [made, setMade] = useState<NewSecret | null>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const navigate = useNavigate();
  const create = () => set({ create: "1" });
  useCreateShortcut(create);
  const teams = useCall("listTeams", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const keys = useCall("listApiKeys", { query: queryOf(state) });
  const teamOf = new Map(teams.data?.data.map((team) => [team.id, team]));
  const filters = activeFilters(state, set, (id) => teamOf.get(id)?.name ?? id);
  const clear = () => set({ search: "", team: "", status: [], unused: "", page: "1" });
  const now = new Date();
  return (
    <Page
      title="API keys"
      wide
      action={
        <Button variant="primary" icon={<Plus size={16} strokeWidth={1.5} aria-hidden />} onClick={create}>
          Create key
          <span className="max-lg:hidden">
            <Kbd>c</Kbd>
          </span>
        </Button>
      }
      filters={
        <FilterBar
          values={state}
          onChange={(change) => set({ ...change, page: "1" })}
          search={{
            placeholder: "Name or last 4 characters",
            value: state.search,
            onChange: (search) => set({ search, page: "1" }),
          }}
          filters={[
            {
              name: "team",
              label: "Team",
              kind: "one",
              options: [...teamOf.values()].map(({ id, name }) => ({ value: id, label: name })),
            },
            { name: "status", label: "Status", kind: "many", options: statusOptions },
            { name: "unused", label: `Unused for ${IDLE_DAYS} days`, kind: "flag" },
          ]}
        />
      }
    >
      <Loaded query={keys} what="The key list" skeleton={<Skeleton lines={8} />}>
        {({ data, meta }) => {
          const rows = state.unused === "" ? data : data.filter((key) => isIdle(key, IDLE_DAYS, now));
          const selected = rows.filter(({ id }) => chosen.includes(id));
          return (
            <>
              {selected.length > 0 && <BulkActions keys={selected} onDone={setChosen} />}
              <Panel flush>
                <DataTable
                  label="API keys"
                  columns={keyColumns({ teamOf, rows, now, onSecret: setMade, total: meta.total })}
                  rows={rows}
                  rowKey={({ id }) => id}
                  sort={state.sort}
                  onSort={(sort) => set({ sort, page: "1" })}
                  onOpen={({ id }) => void navigate({ to: "/keys/$keyId", params: { keyId: id } })}
                  openKey={made?.key.id ?? null}
                  selection={{ keys: chosen, onChange: setChosen }}
                  card={(key) => <KeyCard apiKey={key} />}
                  footer={
                    meta.totalPages > 1 ? (
                      <Pager meta={meta} what="keys" onPage={(page) => set({ page: String(page) })} />
                    ) : undefined
                  }
                  empty={
                    filters.length > 0 ? (
                      <NoMatches what="keys" filters={filters} onClear={clear} />
                    ) : (
                      <EmptyState
                        title="No keys yet"
                        action={
                          <Button variant="primary" onClick={create}>
                            Create key
                          </Button>
                        }
                      >
                        API keys let your applications call models within the limits you set. Create one to get started.
                      </EmptyState>
                    )
                  }
                />
              </Panel>
              <AtCapNotice keys={rows} />
            </>
          );
        }}
      </Loaded>
      {state.create !== "" && (
        <CreateKeyPanel
          onClose={() => set({ create: "" })}
          onCreated={(next) => {
            setMade(next);
            set({ create: "" }, { replace: true });
          }}
        />
      )}
      {made !== null && <SecretDialog made={made} onDone={() => setMade(null)} />}
    </Page>
  );
}

type State = ReturnType<typeof useSearchState<typeof defaults>>[0];
type Set = ReturnType<typeof useSearchState<typeof defaults>>[1];

function queryOf(state: State): KeyQuery {
  return {
    page: Number(state.page),
    pageSize: PAGE_SIZE,
    // Sort keys by last use, oldest first, so that the first page contains all unused keys.
    sort: state.unused === "" ? state.sort : "lastUsedAt",
    ...(state.search !== "" && { search: state.search }),
    ...(state.team !== "" && { teamId: state.team }),
    ...(state.status.length > 0 && { status: state.status }),
  } as KeyQuery;
}

function activeFilters(state: State, set: Set, teamName: (id: string) => string) {
  const words = (value: string) => statusOptions.find((option) => option.value === value)?.label ?? value;
  return [
    ...(state.search === "" ? [] : [{ label: `“${state.search}”`, onRemove: () => set({ search: "" }) }]),
    ...(state.team === "" ? [] : [{ label: `Team ${teamName(state.team)}`, onRemove: () => set({ team: "" }) }]),
    ...(state.status.length === 0
      ? []
      : [{ label: `Status ${state.status.map(words).join(", ")}`, onRemove: () => set({ status: [] }) }]),
    ...(state.unused === "" ? [] : [{ label: `Unused for ${IDLE_DAYS} days`, onRemove: () => set({ unused: "" }) }]),
  ];
}
