import type { Operations } from "@tollgate/sdk/platform";
import { Download } from "lucide-react";
import { client } from "../../api/client.ts";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { DetailPanel } from "../../components/detail-panel.tsx";
import { Difference } from "../../components/difference.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Menu } from "../../components/menu.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { saveFile } from "../../components/save-file.ts";
import { Time } from "../../components/time.tsx";
import { useToast } from "../../components/toast.tsx";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { RangePicker } from "../../shell/range-picker.tsx";
import { useRange } from "../../shell/use-range.ts";
import { ChangeSentence } from "./change-sentence.tsx";

type Entry = Operations["listAdminAuditLog"]["answer"]["data"][number];

const PAGE_SIZE = 100;

/** Audit log of changes. Entries are linked by hashes, so that removed entries can be detected. */
export function AuditPage() {
  const { isAdministrator, organization } = useMe();
  const active = organization?.id ?? null;
  const [state, set] = useSearchState({
    range: "30d",
    search: "",
    actor: "",
    action: [],
    target: "",
    page: "1",
    open: "",
  });
  const { range, zone } = useRange(state.range);
  const query = {
    startDate: range.startDate,
    ...(range.endDate !== undefined && { endDate: range.endDate }),
    ...(state.search !== "" && { search: state.search }),
    ...(state.actor !== "" && { actor: state.actor }),
    ...(state.action.length > 0 && { action: state.action }),
    ...(state.target !== "" && { target: state.target }),
  };
  const page = { page: Number(state.page), pageSize: PAGE_SIZE };
  const audit = useCall("listAdminAuditLog", { query: { ...query, ...page } }, { enabled: isAdministrator });
  if (!isAdministrator)
    return (
      <Page title="Audit">
        <NotAllowed what="the audit log" needs="platform administrator" />
      </Page>
    );
  const rows = audit.data?.data ?? [];
  const at = rows.findIndex(({ id }) => id === state.open);
  const open = rows[at];
  const step = (by: number) => {
    const next = rows[at + by];
    return next === undefined ? undefined : () => set({ open: next.id }, { replace: true });
  };
  return (
    <Page
      title="Audit"
      note={audit.data === undefined ? undefined : plural(audit.data.meta.total, "change")}
      wide
      action={
        <>
          <RangePicker
            value={state.range}
            range={range}
            zone={zone}
            onValue={(value) => set({ range: value, page: "1" })}
          />
          <ExportMenu rows={rows} query={query} />
        </>
      }
      filters={
        <FilterBar
          values={state}
          onChange={(change) => set({ ...change, page: "1" })}
          search={{
            placeholder: "Name, email, action, or ID",
            value: state.search,
            onChange: (search) => set({ search, page: "1" }),
          }}
          filters={[
            { name: "actor", label: "Actor ID", kind: "text" },
            { name: "target", label: "Object", kind: "one", options: objects },
            { name: "action", label: "Action", kind: "many", options: actionsOf(rows, state.action) },
          ]}
        />
      }
    >
      <Panel flush>
        <Loaded query={audit} what="The audit log">
          {({ data, meta }) => (
            <DataTable
              label="Changes"
              density="compact"
              columns={columnsOf(zone, active)}
              rows={data}
              rowKey={({ id }) => id}
              openKey={state.open}
              onOpen={({ id }) => set({ open: id })}
              card={(entry) => (
                <span className="grid min-w-0 gap-0.5">
                  <span className="wrap-anywhere">{entry.summary}</span>
                  <span className="flex justify-between gap-2 text-meta text-muted">
                    <span className="truncate">{entry.organizationName}</span>
                    <Time at={entry.at} form="relative" />
                  </span>
                </span>
              )}
              footer={<Pager meta={meta} onPage={(page) => set({ page: String(page) })} what="changes" />}
              empty={
                <NoMatches
                  filters={[]}
                  onClear={() => set({ search: "", actor: "", action: [], target: "", range: "30d", page: "1" })}
                />
              }
            />
          )}
        </Loaded>
      </Panel>
      {open !== undefined && (
        <DetailPanel
          title={open.summary}
          subtitle={<Time at={open.at} form="millisecond" />}
          onClose={() => set({ open: "" })}
          onPrevious={step(-1)}
          onNext={step(1)}
        >
          <div className="grid gap-5 p-5 text-table">
            <dl className="grid grid-cols-[110px_minmax(0,1fr)] gap-y-1.5">
              <Fact label="Action">{open.action}</Fact>
              <Fact label="Actor">{actorOf(open)}</Fact>
              <Fact label="Object">{`${open.target.type} ${open.target.id}`}</Fact>
              <Fact label="Organization">{open.organizationName ?? open.organizationId ?? "None"}</Fact>
              <Fact label="IP address">{open.ip ?? "Unknown"}</Fact>
              <Fact label="User agent">{open.userAgent ?? "Unknown"}</Fact>
              <Fact label="Request ID">{open.requestId ?? "None"}</Fact>
              <Fact label="Hash">{open.hash}</Fact>
            </dl>
            <Difference before={open.before} after={open.after} />
          </div>
        </DetailPanel>
      )}
    </Page>
  );
}

function columnsOf(zone: string, active: string | null): readonly Column<Entry>[] {
  return [
    { id: "at", header: `Time (${zone})`, cell: ({ at }) => <Time at={at} form="second" /> },
    {
      id: "change",
      header: "Change",
      cell: (entry) => (
        <span className="block max-w-[640px] truncate" title={entry.summary}>
          <ChangeSentence entry={entry} organizationId={active} />
        </span>
      ),
    },
    {
      id: "organization",
      header: "Organization",
      priority: 2,
      cell: ({ organizationName }) => (
        <span className="block max-w-48 truncate text-muted">{organizationName ?? "None"}</span>
      ),
    },
    { id: "ip", header: "IP address", priority: 1, cell: ({ ip }) => <Address ip={ip} /> },
  ];
}

/** Types of objects that the log records changes of. */
const objects = [
  ["key", "API key"],
  ["team", "Team"],
  ["user", "User"],
  ["invitation", "Invitation"],
  ["organization", "Organization"],
  ["model", "Model"],
  ["provider", "Provider"],
  ["webhook", "Webhook"],
  ["purchase", "Order"],
  ["log", "Request"],
  ["session", "Session"],
  ["catalog", "Model catalog"],
].map(([value = "", label = ""]) => ({ value, label }));

interface ExportMenuProps {
  readonly rows: readonly Entry[];
  readonly query: NonNullable<Operations["listAdminAuditLog"]["query"]>;
}

/** Exports all matching changes as CSV, or the visible ones with their details as JSON. */
function ExportMenu({ rows, query }: ExportMenuProps) {
  const toast = useToast();
  const saveAll = async () => {
    try {
      const text = await client.call("listAdminAuditLog", { query: { ...query, format: "csv" } });
      saveFile("audit.csv", "text/csv", String(text));
    } catch (error) {
      toast.failed(error, "The export");
    }
  };
  return (
    <Menu
      label="Export"
      trigger={<Button icon={<Download size={14} strokeWidth={1.5} aria-hidden />}>Export</Button>}
      items={[
        { label: "CSV, all matching changes", onSelect: () => void saveAll() },
        {
          label: `JSON, ${plural(rows.length, "change")} on screen`,
          onSelect: () => saveFile("audit.json", "application/json", JSON.stringify(rows, null, 2)),
        },
      ]}
    />
  );
}

function Address({ ip }: { readonly ip: string | null }) {
  return ip === null ? <span className="text-muted">None</span> : <span className="font-mono text-meta">{ip}</span>;
}

function actorOf({ actor }: Entry): string {
  if (actor.email != null) return actor.email;
  if (actor.id === null) return actor.type === "system" ? "System" : actor.type;
  return `${actor.type} ${actor.id}`;
}

function actionsOf(rows: readonly Entry[], chosen: readonly string[]) {
  const names = [...new Set([...chosen, ...rows.map(({ action }) => action)])].sort();
  return names.map((value) => ({ value, label: value }));
}

function Fact({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="break-words">{children}</dd>
    </>
  );
}
