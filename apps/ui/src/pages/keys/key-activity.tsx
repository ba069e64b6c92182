import type { Operations } from "@tollgate/sdk/platform";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { DataTable } from "../../components/data-table.tsx";
import { Difference } from "../../components/difference.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import type { ApiKey } from "./api-key.ts";

type Entry = Operations["listAuditLog"]["answer"]["data"][number];

const words: Readonly<Record<string, string>> = {
  "key.created": "Created",
  "key.updated": "Updated",
  "key.disabled": "Blocked",
  "key.rotated": "Secret rotated",
  "key.revoked": "Deleted",
};

/** Audit entries for the key: user, time, and previous values. */
export function KeyActivity({ apiKey }: { readonly apiKey: ApiKey }) {
  const { leads, organization } = useMe();
  const [page, setPage] = useState(1);
  const [openId, setOpenId] = useState<string | null>(null);
  const audit = useCall("listAuditLog", { query: { target: apiKey.id, page, pageSize: 50 } }, { enabled: leads });
  if (!leads) return <NotAllowed what="this key's activity" needs={`owner or admin of ${organization?.name}`} />;
  return (
    <Panel flush>
      <Loaded query={audit} what="This key's activity">
        {({ data, meta }) => (
          <DataTable
            label="Key changes"
            rows={data}
            rowKey={({ id }) => id}
            onOpen={({ id }) => setOpenId(id === openId ? null : id)}
            expanded={(entry) =>
              entry.id === openId ? (
                <div className="p-4">
                  <Difference before={entry.before} after={entry.after} />
                </div>
              ) : null
            }
            columns={[
              { id: "what", header: "Change", cell: (entry) => <span className="font-medium">{wordOf(entry)}</span> },
              { id: "who", header: "Actor", cell: actorOf },
              {
                id: "where",
                header: "IP address",
                priority: 1,
                cell: ({ ip }) => <span className="font-mono">{ip ?? "–"}</span>,
              },
              { id: "when", header: "Time", align: "right", cell: ({ at }) => <Time at={at} form="minute" /> },
            ]}
            card={(entry) => (
              <>
                <span className="flex justify-between gap-3">
                  <span className="font-medium">{wordOf(entry)}</span>
                  <Time at={entry.at} form="relative" />
                </span>
                <span className="text-meta text-muted">{actorOf(entry)}</span>
              </>
            )}
            footer={meta.totalPages > 1 ? <Pager meta={meta} what="changes" onPage={setPage} /> : undefined}
            empty={<EmptyState title="No changes yet">Changes to this key appear here.</EmptyState>}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function wordOf({ action, before }: Entry): string {
  if (action === "key.updated" && before?.status === "disabled") return "Unblocked";
  return words[action] ?? action;
}

function actorOf({ actor }: Entry): string {
  return actor.email ?? (actor.type === "system" ? "System" : `${actor.type} ${actor.id ?? ""}`);
}
