import type { Operations } from "@tollgate/sdk/platform";
import { useConfig } from "../../api/config.ts";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { Badge } from "../../components/badge.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { useSearchState } from "../../router-search.ts";
import { LedgerCheckPanel } from "./ledger-check-panel.tsx";

type Section = Operations["getAdminSettings"]["answer"]["sections"][number];
type Setting = Section["settings"][number];

/** Effective settings with their sources. They are read-only here because files and the environment define them. */
export function SettingsPage() {
  const { isAdministrator } = useMe();
  const { version, apiUrl } = useConfig();
  const [state, set] = useSearchState({ search: "", source: "" });
  const settings = useCall("getAdminSettings", {}, { enabled: isAdministrator });
  if (!isAdministrator)
    return (
      <Page title="Settings">
        <NotAllowed what="settings" needs="platform administrator" />
      </Page>
    );
  const matches = ({ name, description, source }: Setting) =>
    (state.source === "" || source === state.source) &&
    `${name} ${description}`.toLowerCase().includes(state.search.toLowerCase());
  return (
    <Page
      title="Settings"
      note={`Tollgate ${version} at ${apiUrl}`}
      filters={
        <FilterBar
          values={state}
          onChange={set}
          search={{
            placeholder: "Name or description",
            value: state.search,
            onChange: (search) => set({ search }, { replace: true }),
          }}
          filters={[
            {
              name: "source",
              label: "Source",
              kind: "one",
              options: ["file", "environment", "default"].map((value) => ({ value, label: value })),
            },
          ]}
        />
      }
    >
      <LedgerCheckPanel />
      <Loaded query={settings} what="Settings">
        {({ sections }) => (
          <div className="grid gap-4">
            {sections
              .map((section) => ({ ...section, settings: section.settings.filter(matches) }))
              .filter((section) => section.settings.length > 0)
              .map((section) => (
                <Panel key={section.title} title={section.title} note={section.description} flush>
                  <dl>
                    {section.settings.map((setting) => (
                      <SettingRow key={setting.name} setting={setting} />
                    ))}
                  </dl>
                </Panel>
              ))}
          </div>
        )}
      </Loaded>
      <p className="text-meta text-muted">
        To change a value, edit the settings file or the environment, then reload with SIGHUP. Settings with a restart
        badge require a restart.
      </p>
    </Page>
  );
}

function SettingRow({ setting }: { readonly setting: Setting }) {
  const { name, value, source, file, line, variable, needsRestart, description } = setting;
  const origin =
    source === "file"
      ? `${file ?? "file"}${line === null ? "" : `:${line}`}`
      : source === "environment"
        ? variable
        : null;
  return (
    <div className="grid gap-x-4 gap-y-0.5 border-b border-hairline px-4 py-2 last:border-0 sm:grid-cols-[minmax(0,5fr)_minmax(0,4fr)_minmax(0,3fr)]">
      <dt className="min-w-0">
        <span className="font-mono text-table font-medium break-words">{name}</span>
        <span className="block text-meta text-muted">{description}</span>
      </dt>
      <dd className={`min-w-0 font-mono text-table break-words ${source === "default" ? "text-muted" : ""}`}>
        {toText(value)}
      </dd>
      <dd className="flex min-w-0 flex-wrap items-start gap-1.5 sm:justify-end">
        {needsRestart && <Badge tone="warning">restart</Badge>}
        <Badge tone={source === "default" ? "neutral" : "info"}>{origin ?? "default"}</Badge>
      </dd>
    </div>
  );
}

function toText(value: unknown): string {
  if (value === null || value === undefined || value === "not set") return "Not set";
  if (value === "set") return "Set";
  if (typeof value === "boolean") return value ? "On" : "Off";
  if (Array.isArray(value) && value.length === 0) return "None";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
