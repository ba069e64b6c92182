import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { KeyStatus } from "../../components/key-status.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useSearchState } from "../../router-search.ts";
import type { ApiKey, Team } from "./api-key.ts";
import { KeyActions } from "./key-actions.tsx";
import { KeyActivity } from "./key-activity.tsx";
import { KeyOverview } from "./key-overview.tsx";
import { KeyRequests } from "./key-requests.tsx";
import { KeySettings } from "./key-settings.tsx";
import type { NewSecret } from "./new-secret.ts";
import { SecretDialog } from "./secret-dialog.tsx";

const tabs = [
  { value: "overview", label: "Overview" },
  { value: "requests", label: "Requests" },
  { value: "settings", label: "Settings" },
  { value: "activity", label: "Activity" },
] as const;

/** Page for a key: spend, requests, settings, and audit log. */
export function KeyPage() {
  const { keyId = "" } = useParams({ strict: false });
  const [state, set] = useSearchState({ tab: "overview", range: "14d", open: "" });
  const [made, setMade] = useState<NewSecret | null>(null);
  const navigate = useNavigate();
  const answer = useCall("getApiKey", { params: { id: keyId } });
  const teams = useCall("listTeams", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const key = answer.data?.apiKey;
  const team = teams.data?.data.find(({ id }) => id === key?.team_id);
  return (
    <Page
      title={key?.name ?? "API key"}
      wide
      note={key === undefined ? undefined : <KeyNote apiKey={key} team={team} />}
      action={
        <>
          <ButtonLink to="/keys">All keys</ButtonLink>
          {key !== undefined && (
            <KeyActions apiKey={key} onSecret={setMade} onDeleted={() => void navigate({ to: "/keys" })} />
          )}
        </>
      }
    >
      <Loaded query={answer} what="This key" skeleton={<Skeleton lines={8} />}>
        {({ apiKey }) => (
          <>
            <KeyNotice apiKey={apiKey} team={team} />
            <Tabs value={state.tab} onValue={(tab) => set({ tab, open: "" })} tabs={tabs}>
              {state.tab === "requests" ? (
                <KeyRequests apiKey={apiKey} />
              ) : state.tab === "settings" ? (
                <KeySettings key={apiKey.updatedAt} apiKey={apiKey} teams={teams.data?.data ?? []} />
              ) : state.tab === "activity" ? (
                <KeyActivity apiKey={apiKey} />
              ) : (
                <KeyOverview
                  apiKey={apiKey}
                  team={team}
                  range={state.range}
                  onRange={(range) => set({ range }, { replace: true })}
                />
              )}
            </Tabs>
          </>
        )}
      </Loaded>
      {made !== null && <SecretDialog made={made} onDone={() => setMade(null)} />}
    </Page>
  );
}

interface KeyProps {
  readonly apiKey: ApiKey;
  readonly team: Team | undefined;
}

function KeyNote({ apiKey, team }: KeyProps) {
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <KeyStatus state={apiKey.state} />
      <span className="font-mono">{apiKey.token}</span>
      {team !== undefined && <span>team {team.name}</span>}
    </span>
  );
}

const obstacles: Partial<Readonly<Record<ApiKey["status"], readonly [title: string, text: string]>>> = {
  revoked: [
    "This key has been deleted.",
    "Requests with this key fail permanently. Its logs and costs remain available.",
  ],
  disabled: ["This key is blocked.", "Requests with this key are refused until you unblock it."],
  expired: ["This key has expired.", "To use it again, set a later expiry date in Settings."],
};

/** Notice about what blocks the key's requests, if anything. */
function KeyNotice({ apiKey, team }: KeyProps) {
  const obstacle = obstacles[apiKey.status];
  if (obstacle !== undefined) {
    const [title, text] = obstacle;
    return (
      <Notice tone="warning" title={title}>
        {text}
      </Notice>
    );
  }
  if (team?.status === "blocked") {
    return (
      <Notice
        tone="danger"
        title={`Team ${team.name} is blocked.`}
        action={
          <ButtonLink size="sm" to="/teams/$teamId" params={{ teamId: team.id }}>
            Open team
          </ButtonLink>
        }
      >
        {team.blockedReason === "negative_balance"
          ? "Requests with this key are refused until credits are added."
          : "Requests with this key are refused until an administrator unblocks the team."}
      </Notice>
    );
  }
  return null;
}
