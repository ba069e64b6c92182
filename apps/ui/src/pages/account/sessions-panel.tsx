import type { Operations } from "@tollgate/sdk/platform";
import { useCall, useChange } from "../../api/queries.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { nameClient } from "./name-client.ts";

type Session = Operations["listSessions"]["answer"]["data"][number];

/** The user's sessions, each with a button to end it. */
export function SessionsPanel() {
  const sessions = useCall("listSessions", { query: { pageSize: 100 } });
  const end = useChange("deleteSession", { invalidates: ["listSessions"], done: "Session ended" });
  const columns: readonly Column<Session>[] = [
    {
      id: "device",
      header: "Client",
      cell: ({ userAgent, current }) => (
        <span className="flex max-w-[480px] items-center gap-2">
          <span className="truncate" title={userAgent ?? undefined}>
            {nameClient(userAgent)}
          </span>
          {current && <Badge>current</Badge>}
        </span>
      ),
    },
    {
      id: "ip",
      header: "IP address",
      priority: 2,
      cell: ({ ip }) => <span className="font-mono">{ip ?? "Unknown"}</span>,
    },
    { id: "seen", header: "Last seen", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} form="relative" /> },
    { id: "began", header: "Signed in", priority: 1, cell: ({ createdAt }) => <Time at={createdAt} form="minute" /> },
    {
      id: "end",
      header: <span className="sr-only">Actions</span>,
      align: "right",
      cell: ({ id, current }) =>
        current ? null : (
          <Button size="sm" onClick={() => end.mutate({ params: { id } })}>
            End session
          </Button>
        ),
    },
  ];
  return (
    <Panel title="Sessions" note="browsers and CLI" flush>
      <Loaded query={sessions} what="Your sessions">
        {({ data }) => (
          <DataTable
            label="Sessions"
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
            card={(session) => (
              <span className="flex items-center justify-between gap-2">
                <span className="min-w-0">
                  <span className="block truncate">{nameClient(session.userAgent)}</span>
                  <span className="block text-meta text-muted">
                    {session.current ? "Current session" : <Time at={session.lastSeenAt} form="relative" />}
                  </span>
                </span>
                {!session.current && (
                  <Button size="sm" onClick={() => end.mutate({ params: { id: session.id } })}>
                    End session
                  </Button>
                )}
              </span>
            )}
            empty={null}
          />
        )}
      </Loaded>
    </Panel>
  );
}
