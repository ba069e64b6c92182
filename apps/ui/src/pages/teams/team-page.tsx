import { useParams } from "@tanstack/react-router";
import { Mail, OctagonMinus, Plus } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { InviteDialog } from "../../components/invite-dialog.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useSearchState } from "../../router-search.ts";
import { KeysTab } from "./keys-tab.tsx";
import { MembersTab } from "./members-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { LimitsTab, ModelsTab } from "./team-form-tabs.tsx";
import { useTeamSpend } from "./use-team-spend.ts";

/** Team page: spend, members, and limits. If the team is blocked, the page says why and how to unblock it. */
export function TeamPage() {
  const { teamId } = useParams({ strict: false }) as { teamId: string };
  const { organization, leads } = useMe();
  const [{ tab }, set] = useSearchState({ tab: "overview" });
  const [isInviting, setInviting] = useState(false);
  const details = useCall("getTeam", { params: { id: teamId } });
  const spend = useTeamSpend(teamId);
  const team = details.data?.team;
  const manages = leads || team?.role === "admin";
  return (
    <Page
      title={team?.name ?? "Team"}
      wide
      note={
        team?.status === "blocked" && (
          <Badge tone="danger" icon={<OctagonMinus strokeWidth={2} aria-hidden />}>
            Blocked
          </Badge>
        )
      }
      action={
        team !== undefined && (
          <>
            <Button
              icon={<Mail size={16} strokeWidth={1.5} aria-hidden />}
              disabledReason={manages ? null : "Only admins can invite members"}
              onClick={() => setInviting(true)}
            >
              Invite
            </Button>
            <ButtonLink
              to="/keys"
              search={{ create: "1", team: team.id }}
              icon={<Plus size={16} strokeWidth={1.5} aria-hidden />}
            >
              Create key
            </ButtonLink>
          </>
        )
      }
    >
      <Loaded query={details} what="This team">
        {(shown) => (
          <Tabs
            key={shown.team.id}
            value={tab}
            onValue={(value) => set({ tab: value })}
            tabs={[
              { value: "overview", label: "Overview" },
              { value: "members", label: "Members", count: shown.members.length },
              { value: "keys", label: "Keys", count: shown.team.keyCount },
              {
                value: "models",
                label: "Models",
                ...(shown.team.models !== null && { count: shown.team.models.length }),
              },
              { value: "limits", label: "Limits" },
              { value: "settings", label: "Settings" },
            ]}
          >
            {tab === "overview" && <OverviewTab details={shown} spend={spend} manages={manages} />}
            {tab === "members" && <MembersTab details={shown} spend={spend} manages={manages} />}
            {tab === "keys" && <KeysTab team={shown.team} spend={spend} />}
            {tab === "models" && <ModelsTab team={shown.team} manages={manages} />}
            {tab === "limits" && <LimitsTab team={shown.team} manages={manages} />}
            {tab === "settings" && <SettingsTab team={shown.team} manages={manages} />}
          </Tabs>
        )}
      </Loaded>
      {isInviting && team !== undefined && (
        <InviteDialog
          target={{ organizationId: organization?.id ?? "", teamId: team.id, name: team.name }}
          onClose={() => setInviting(false)}
        />
      )}
    </Page>
  );
}
