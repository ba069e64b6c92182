import { Plus } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { describeFilter, type Filter, isFilterSet } from "../../components/filter.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { healthLabels } from "../../components/health-dot.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { useCreateShortcut } from "../../shell/shortcuts.ts";
import { CopyDialog } from "./copy-dialog.tsx";
import { DeploymentActions } from "./deployment-actions.tsx";
import { DeploymentForm } from "./deployment-form.tsx";
import { DeploymentPanel } from "./deployment-panel.tsx";
import { DeploymentTable } from "./deployment-table.tsx";
import { type Deployment, filterDeployments } from "./filter-deployments.ts";
import { PriceWarnings } from "./price-warnings.tsx";
import { TestAll } from "./test-all.tsx";

const noFilters = { search: "", provider: "", source: "", health: "", price: "" } as const;
/** `form`: ID of the model to edit, or `new`. */
const defaults = { ...noFilters, open: "", form: "" } as const;
const NEW = "new";
const EVERY_MS = 30_000;

/** All deployments with their source and health, for platform administrators. */
export function DeploymentsPage() {
  const { isAdministrator } = useMe();
  const [state, set] = useSearchState(defaults);
  const [copied, setCopied] = useState<Deployment | null>(null);
  const list = useCall("listDeployments", {}, { enabled: isAdministrator, refetchMs: EVERY_MS });
  useCreateShortcut(() => isAdministrator && set({ form: NEW, open: "" }));
  if (!isAdministrator)
    return (
      <Page title="Deployments">
        <NotAllowed what="deployments" needs="platform administrator" />
      </Page>
    );
  const all = list.data?.deployments ?? [];
  const filters = filtersOf(all);
  const groups = filterDeployments(all, state);
  const shown = groups.flatMap(({ deployments }) => deployments);
  const open = all.find(({ id }) => id === state.open) ?? null;
  const edited = all.find(({ modelId }) => modelId !== null && modelId === state.form) ?? null;
  const place = shown.findIndex(({ id }) => id === state.open);
  const step = (by: number) => {
    const next = place === -1 ? undefined : shown[place + by];
    return next === undefined ? undefined : () => set({ open: next.id }, { replace: true });
  };
  const edit = ({ modelId }: Deployment) => set({ form: modelId ?? "", open: "" });
  return (
    <Page
      title="Deployments"
      wide
      note={list.data && `${plural(all.length, "deployment")} in ${plural(countGroups(all), "model group")}`}
      action={
        <>
          <TestAll deployments={all} />
          <Button
            variant="primary"
            icon={<Plus size={16} strokeWidth={1.75} />}
            onClick={() => set({ form: NEW, open: "" })}
          >
            Add deployment
          </Button>
        </>
      }
    >
      <Loaded query={list} what="Deployments">
        {() => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <PriceWarnings deployments={all} shown={state.price} onShow={(price) => set({ price })} />
            <FilterBar
              values={state}
              onChange={set}
              filters={filters}
              search={{
                placeholder: "Model group, provider, or name",
                value: state.search,
                onChange: (search) => set({ search }, { replace: true }),
              }}
            />
            <Panel
              flush
              footer={
                groups.length === 0
                  ? null
                  : `${groups.length} of ${plural(countGroups(all), "model group")} shown. Deployments from files are read-only. Copy one to the database to edit it.`
              }
            >
              {all.length === 0 ? (
                <EmptyState title="No deployments yet">
                  A deployment serves a model through one provider. Add a deployment here or in the settings file.
                </EmptyState>
              ) : groups.length === 0 ? (
                <NoMatches
                  what="deployments"
                  filters={filters
                    .filter((filter) => isFilterSet(state, filter))
                    .map((filter) => ({
                      label: `${filter.label} ${describeFilter(state, filter)}`,
                      onRemove: () => set({ [filter.name]: "" }),
                    }))}
                  onClear={() => set(noFilters)}
                />
              ) : (
                <DeploymentTable
                  groups={groups}
                  openId={state.open}
                  onOpen={({ id }) => set({ open: id, form: "" })}
                  actions={(deployment) => (
                    <DeploymentActions
                      deployment={deployment}
                      onOpen={() => set({ open: deployment.id, form: "" })}
                      onEdit={() => edit(deployment)}
                      onCopy={() => setCopied(deployment)}
                    />
                  )}
                />
              )}
            </Panel>
          </div>
        )}
      </Loaded>
      {open !== null && state.form === "" && (
        <DeploymentPanel
          deployment={open}
          onClose={() => set({ open: "" })}
          onEdit={() => edit(open)}
          onCopy={() => setCopied(open)}
          onPrevious={step(-1)}
          onNext={step(1)}
        />
      )}
      {(state.form === NEW || edited !== null) && (
        <DeploymentForm
          key={state.form}
          deployment={state.form === NEW ? null : edited}
          onClose={() => set({ form: "" })}
        />
      )}
      {copied !== null && (
        <CopyDialog
          deployment={copied}
          onClose={() => setCopied(null)}
          onCopied={(form) => {
            setCopied(null);
            set({ form, open: "" });
          }}
        />
      )}
    </Page>
  );
}

function filtersOf(deployments: readonly Deployment[]): readonly Filter<keyof typeof noFilters>[] {
  const choices = (values: readonly string[]) => [...new Set(values)].map((value) => ({ value, label: value }));
  return [
    { name: "provider", label: "Provider", kind: "one", options: choices(deployments.map(({ provider }) => provider)) },
    { name: "source", label: "Source", kind: "one", options: choices(deployments.map(({ source }) => source.kind)) },
    {
      name: "health",
      label: "Health",
      kind: "one",
      options: [...new Set(deployments.map(({ health }) => health))].map((health) => ({
        value: health,
        label: healthLabels[health],
      })),
    },
    { name: "price", label: "Price", kind: "one", options: choices(["unpriced", "stale", "overridden"]) },
  ];
}

function countGroups(deployments: readonly Deployment[]): number {
  return new Set(deployments.map(({ group }) => group)).size;
}
