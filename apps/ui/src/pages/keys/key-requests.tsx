import { useNavigate } from "@tanstack/react-router";
import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { CallCard, logColumns } from "../../components/call-columns.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../components/panel.tsx";
import { QuickStart } from "../../components/quick-start.tsx";
import { useZone } from "../../shell/use-range.ts";
import type { ApiKey } from "./api-key.ts";

const SHOWN = 50;

/** A key's latest requests. The Logs page lists all of the key's requests. */
export function KeyRequests({ apiKey }: { readonly apiKey: ApiKey }) {
  const zone = useZone();
  const navigate = useNavigate();
  const logs = useCall("listLogs", { query: { apiKey: [apiKey.id], pageSize: SHOWN } });
  return (
    <Panel
      title="Latest requests"
      flush
      actions={
        <ButtonLink size="sm" variant="ghost" to="/logs" search={{ key: [apiKey.id] }}>
          Open in Logs
        </ButtonLink>
      }
    >
      <Loaded query={logs} what="This key's requests">
        {({ data }) => (
          <DataTable
            label="Key requests"
            density="compact"
            columns={logColumns(zone, ["key", "team"])}
            rows={data}
            rowKey={({ id }) => id}
            onOpen={({ id }) => void navigate({ to: "/logs", search: { key: [apiKey.id], range: "30d", open: id } })}
            card={(call) => <CallCard call={call} zone={zone} />}
            empty={
              <EmptyState title="No recent requests" code={<QuickStart apiKeyId={apiKey.id} model="sim/echo" />}>
                Requests with this key appear here.
              </EmptyState>
            }
          />
        )}
      </Loaded>
    </Panel>
  );
}
