import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { useMemo } from "react";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { type DeploymentNote, RoutingDiagram } from "../../components/routing-diagram.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { Select } from "../../components/select.tsx";
import { NARROW, useMedia } from "../../components/use-media.ts";
import { nameDeployment } from "../../format/name-deployment.ts";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { AliasPanel } from "./alias-panel.tsx";
import { GroupPanel } from "./group-panel.tsx";
import { SimulatePanel } from "./simulate-panel.tsx";

type Group = Operations["getRouting"]["answer"]["groups"][number];
type HealthRow = Operations["getDeploymentHealth"]["answer"]["deployments"][number];

/** Routing rules by model group, and a route simulator. For platform administrators. */
export function RoutingPage() {
  const { isAdministrator } = useMe();
  const [state, set] = useSearchState({ group: "", view: "" });
  const routing = useCall("getRouting", {}, { enabled: isAdministrator, refetchMs: 30_000 });
  const health = useCall("getDeploymentHealth", {}, { enabled: isAdministrator, staleMs: 30_000 });
  // On a phone, default to the text view because the diagram would be too large.
  const isNarrow = useMedia(NARROW);
  const view = state.view === "" ? (isNarrow ? "text" : "diagram") : state.view;
  const groups = routing.data?.groups ?? [];
  // By default, show the first group that has more than one route, because its diagram is more useful.
  const group =
    groups.find(({ name }) => name === state.group) ??
    groups.find(({ deployments, fallbacks }) => deployments.length > 1 || fallbacks.length > 0) ??
    groups[0];
  const notes = useMemo(() => notesOf(group, health.data?.deployments ?? []), [group, health.data]);
  if (!isAdministrator)
    return (
      <Page title="Routing">
        <NotAllowed what="routing" needs="platform administrator" />
      </Page>
    );
  return (
    <Page
      title="Routing"
      wide
      note={
        group && (
          <span className="flex flex-wrap items-center gap-3">
            <Select
              label="Model group"
              className="w-72! max-w-full"
              value={group.name}
              onValue={(name) => set({ group: name })}
              options={groups.map(({ name, deployments }) => ({
                value: name,
                label: name,
                note: plural(deployments.length, "deployment"),
              }))}
            />
            <span>
              {groups.indexOf(group) + 1} of {plural(groups.length, "model group")}
            </span>
          </span>
        )
      }
    >
      <Loaded query={routing} what="Routing">
        {({ defaults, aliases }) =>
          group === undefined ? (
            <EmptyState title="No model groups yet">
              A model group is a public model name and the deployments that serve it. To create one, add a deployment.
            </EmptyState>
          ) : (
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
              <Panel
                title="Request routing"
                note="last 24 hours"
                actions={
                  <Segmented
                    label="View"
                    value={view}
                    onValue={(next) => set({ view: next })}
                    options={[
                      { value: "diagram", label: "Diagram" },
                      { value: "text", label: "Text" },
                    ]}
                  />
                }
              >
                <RoutingDiagram group={withNames(group)} notes={notes} isText={view === "text"} />
              </Panel>
              <div className="grid grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)] items-start gap-4 max-xl:grid-cols-[minmax(0,1fr)]">
                <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
                  <GroupPanel group={group} defaults={defaults} />
                  <AliasPanel aliases={aliases} />
                </div>
                <SimulatePanel key={group.name} model={exampleOf(group.name)} />
              </div>
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

/**
 * Returns a note for each deployment. Requests are counted by model and provider, so a note includes counts only if all
 * deployments have different providers.
 */
function notesOf(group: Group | undefined, rows: readonly HealthRow[]): ReadonlyMap<string, DeploymentNote> {
  if (group === undefined) return new Map();
  const isClear = new Set(group.deployments.map(({ provider }) => provider)).size === group.deployments.length;
  return new Map(
    group.deployments.flatMap(({ id }) => {
      const row = rows.find((each) => each.deploymentId === id && each.group === group.name);
      if (row === undefined) return [];
      const seconds =
        row.cooldownUntil === null ? 0 : Math.ceil((new Date(row.cooldownUntil).getTime() - Date.now()) / 1_000);
      const first = row.medianTiming?.firstTokenMs ?? null;
      return [
        [
          id,
          {
            text: isClear && first !== null ? `${formatDuration(first)} first token` : null,
            calls: isClear ? row.requests : null,
            state: seconds > 0 ? `Cooldown ${seconds} s` : null,
          },
        ] as const,
      ];
    }),
  );
}

/** Replaces provider names with configured deployment names. */
function withNames(group: Group): Group {
  const named = group.deployments.map((each) => ({
    ...each,
    provider: nameDeployment({ ...each, group: group.name }),
  }));
  return { ...group, deployments: named };
}

/** Returns an example name for a pattern; other group names are unchanged. */
function exampleOf(name: string): string {
  return name.replaceAll("*", name.startsWith("sim/") ? "echo" : "model");
}
