import { useMe } from "../../api/me.ts";
import { Page } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useSearchState } from "../../router-search.ts";
import { AppearancePanel } from "./appearance-panel.tsx";
import { CodesPanel } from "./codes-panel.tsx";
import { OrganizationSettingsPanel } from "./organization-settings-panel.tsx";
import { PasswordPanel } from "./password-panel.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import { WebhooksPanel } from "./webhooks-panel.tsx";

/** The user's account, and organization settings for owners and admins. */
export function AccountPage() {
  const { user, organization, leads } = useMe();
  const [{ tab }, set] = useSearchState({ tab: "account" });
  return (
    <Page title="Account" note={user === null ? undefined : `${user.name}, ${user.email}`}>
      <Tabs
        value={tab}
        onValue={(value) => set({ tab: value })}
        tabs={[
          { value: "account", label: "Profile" },
          { value: "sessions", label: "Sessions" },
          ...(leads ? [{ value: "organization", label: organization?.name ?? "Organization" }] : []),
        ]}
      />
      {tab === "account" && (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <div className="grid gap-4">
            <AppearancePanel />
            <CodesPanel />
          </div>
          <PasswordPanel />
        </div>
      )}
      {tab === "sessions" && <SessionsPanel />}
      {tab === "organization" && leads && organization !== null && (
        <div className="grid items-start gap-4">
          <OrganizationSettingsPanel organization={organization} />
          <WebhooksPanel />
        </div>
      )}
    </Page>
  );
}
