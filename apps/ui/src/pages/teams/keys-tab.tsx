import { ButtonLink } from "../../components/button.tsx";
import { CapBar } from "../../components/cap-bar.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { KeyLink } from "../../components/key-link.tsx";
import { KeyStatus } from "../../components/key-status.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";
import { plural } from "../../format/plural.ts";
import type { Team } from "./team-draft.ts";
import type { TeamSpend } from "./use-team-spend.ts";

/** The team's keys with spend and caps. */
export function KeysTab({ team, spend }: { readonly team: Team; readonly spend: TeamSpend }) {
  return (
    <Panel
      title="Keys"
      flush
      actions={
        <ButtonLink to="/keys" search={{ team: team.id }} variant="ghost" size="sm">
          All keys
        </ButtonLink>
      }
    >
      <Loaded query={spend.keys} what="This team's keys">
        {({ data, meta }) => (
          <DataTable
            label="Team keys"
            rows={data}
            rowKey={({ id }) => id}
            columns={[
              {
                id: "name",
                header: "Name",
                cell: (key) => <KeyLink id={key.id} name={key.name} />,
                footer: plural(meta.total, "key"),
              },
              {
                id: "token",
                header: "Key",
                priority: 1,
                cell: ({ token }) => <span className="font-mono text-muted">{token ?? "Hidden"}</span>,
              },
              {
                id: "spend",
                header: `Spend in ${spend.month.short}`,
                align: "right",
                priority: 3,
                cell: ({ id }) => <KeySpend nano={spend.ofKey(id)} total={spend.total} />,
                footer: <KeySpend nano={spend.total} total={spend.total} />,
              },
              {
                id: "cap",
                header: "Cap",
                width: "150px",
                priority: 2,
                cell: ({ budget }) => <CapBar spent={budget?.spent ?? 0n} limit={budget?.limit ?? null} />,
              },
              { id: "status", header: "Status", cell: (key) => <KeyStatus state={key.state} /> },
            ]}
            card={(key) => (
              <>
                <span className="flex justify-between gap-3">
                  <KeyLink id={key.id} name={key.name} />
                  <KeyStatus state={key.state} />
                </span>
                <span className="flex justify-between gap-3 text-meta text-muted">
                  <span className="font-mono">{key.token ?? "Hidden"}</span>
                  <KeySpend nano={spend.ofKey(key.id)} total={null} />
                </span>
              </>
            )}
            empty={<p className="px-4 py-6 text-table text-muted">No keys yet. Create one to call models.</p>}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function KeySpend({ nano, total }: { readonly nano: bigint | null; readonly total: bigint | null }) {
  return nano === null ? <span className="text-faint">…</span> : <Money nano={nano} total={total ?? undefined} />;
}
