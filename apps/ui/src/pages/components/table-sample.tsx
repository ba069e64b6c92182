import { Copy, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { CapBar } from "../../components/cap-bar.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Menu } from "../../components/menu.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";
import { type DotShape, StatusDot } from "../../components/status-dot.tsx";
import { Time } from "../../components/time.tsx";

interface SampleKey {
  readonly name: string;
  readonly hint: string;
  readonly team: string;
  readonly spent: bigint;
  readonly cap: bigint | null;
  readonly usedAt: string | null;
  readonly shape: DotShape;
  readonly status: string;
}

const DOLLAR = 1_000_000_000n;

const KEYS: readonly SampleKey[] = [
  sampleKey("prod-api", "Qm7d", 67_752_100_400n, 250n, "2026-11-12T14:04:56Z", "ok", "Active"),
  sampleKey("eval-nightly", "V2nh", 44_920_000_000n, 50n, "2026-11-12T04:00:00Z", "warning", "Near cap"),
  sampleKey("ci-bot", "a1b2", 25_030_000_000n, 25n, "2026-11-12T14:04:21Z", "bad", "Cap reached"),
  sampleKey("zendesk-sync", "fB8u", 7_950_000_000n, null, "2026-11-12T14:02:00Z", "ok", "Active"),
  sampleKey("old-prototype", "0aXk", 0n, 10n, null, "off", "Expired"),
];

const COLUMNS: readonly Column<SampleKey>[] = [
  {
    id: "name",
    header: "Name",
    sort: "name",
    cell: ({ name }) => <b className="font-medium">{name}</b>,
    footer: "5 keys",
  },
  {
    id: "key",
    header: "Key",
    priority: 3,
    cell: ({ hint }) => <span className="font-mono text-muted">sk-tg-…{hint}</span>,
  },
  { id: "team", header: "Team", priority: 1, cell: ({ team }) => team },
  {
    id: "spent",
    header: "Spend in Nov",
    align: "right",
    sort: "spent",
    cell: ({ spent }) => <Money nano={spent} />,
    footer: <Money nano={KEYS.reduce((sum, { spent }) => sum + spent, 0n)} />,
  },
  { id: "cap", header: "Cap", width: "26%", cell: ({ spent, cap }) => <CapBar spent={spent} limit={cap} /> },
  { id: "used", header: "Last used", priority: 2, cell: ({ usedAt }) => <Time at={usedAt} form="minute" /> },
  { id: "status", header: "Status", cell: ({ shape, status }) => <StatusDot shape={shape}>{status}</StatusDot> },
  {
    id: "menu",
    header: <span className="sr-only">Actions</span>,
    align: "right",
    cell: ({ name }) => <RowMenu name={name} />,
  },
];

/** Sample of a list with filters, selection, sorting, and an open row. */
export function TableSample() {
  const [values, setValues] = useState({ team: "", status: ["Active"] as readonly string[], search: "", unused: "" });
  const [sort, setSort] = useState("-spent");
  const [keys, setKeys] = useState<readonly string[]>([]);
  const [openKey, setOpenKey] = useState<string | null>("prod-api");
  return (
    <div className="grid gap-3">
      <FilterBar
        values={values}
        onChange={(changes) => setValues({ ...values, ...changes })}
        search={{
          placeholder: "Name or last 4 characters",
          value: values.search,
          onChange: (search) => setValues({ ...values, search }),
        }}
        filters={[
          { name: "team", label: "Team", kind: "one", options: [{ value: "platform", label: "Platform" }] },
          {
            name: "status",
            label: "Status",
            kind: "many",
            options: ["Active", "Cap reached", "Expired"].map((value) => ({ value, label: value })),
          },
          { name: "unused", label: "Unused for 30 days", kind: "flag" },
        ]}
      />
      <Panel flush>
        <DataTable
          label="API keys"
          columns={COLUMNS}
          rows={KEYS}
          rowKey={({ name }) => name}
          sort={sort}
          onSort={setSort}
          selection={{ keys, onChange: setKeys }}
          openKey={openKey}
          onOpen={({ name }) => setOpenKey(name)}
          card={keyCard}
          footer="5 of 5 keys. Caps reset 1 Dec 00:00 UTC."
          empty={<EmptyState title="No keys yet">Create one to get started.</EmptyState>}
        />
      </Panel>
    </div>
  );
}

function keyCard(key: SampleKey) {
  return (
    <>
      <span className="flex items-center gap-2">
        <b className="font-medium">{key.name}</b>
        <span className="ml-auto">
          <Money nano={key.spent} />
        </span>
      </span>
      <span className="flex items-center gap-2 text-meta text-muted">
        <StatusDot shape={key.shape}>{key.status}</StatusDot>
        <span className="ml-auto font-mono">…{key.hint}</span>
      </span>
    </>
  );
}

function RowMenu(props: { readonly name: string }) {
  const nothing = () => {};
  return (
    <Menu
      label={`Actions for ${props.name}`}
      items={[
        { label: "Copy ID", icon: <Copy size={14} strokeWidth={1.5} />, onSelect: nothing },
        {
          label: "Rotate",
          icon: <RotateCw size={14} strokeWidth={1.5} />,
          onSelect: nothing,
          disabledReason: "Only the key's creator can rotate it",
        },
        { label: "Delete", icon: <Trash2 size={14} strokeWidth={1.5} />, onSelect: nothing, danger: true },
      ]}
    />
  );
}

function sampleKey(
  name: string,
  hint: string,
  spent: bigint,
  capDollars: bigint | null,
  usedAt: string | null,
  shape: DotShape,
  status: string,
): SampleKey {
  return {
    name,
    hint,
    team: "Platform",
    spent,
    cap: capDollars === null ? null : capDollars * DOLLAR,
    usedAt,
    shape,
    status,
  };
}
