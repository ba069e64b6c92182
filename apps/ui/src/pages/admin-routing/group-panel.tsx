import { Link } from "@tanstack/react-router";
import { formatShare } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import type { ReactNode } from "react";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { DeploymentHealth } from "../../components/deployment-health.tsx";
import { Panel } from "../../components/panel.tsx";
import { ProviderMark } from "../../components/provider-mark.tsx";
import { firstChoices } from "../../components/routing-summary.ts";
import { nameDeployment } from "../../format/name-deployment.ts";
import { plural } from "../../format/plural.ts";

type Routing = Operations["getRouting"]["answer"];
type Group = Routing["groups"][number];
type Deployment = Group["deployments"][number];

const strategyNames: Readonly<Record<string, string>> = {
  "simple-shuffle": "Weighted",
  "least-busy": "Least busy",
  "latency-based-routing": "Lowest latency",
  "usage-based-routing": "Lowest usage",
  "usage-based-routing-v2": "Lowest usage",
  "cost-based-routing": "Lowest cost",
};

/** A group's routing settings, and the distribution of requests across its deployments. */
export function GroupPanel(props: { readonly group: Group; readonly defaults: Routing["defaults"] }) {
  const { group, defaults } = props;
  return (
    <Panel
      title="Model group"
      note="defined in the settings"
      flush
      footer={
        <>
          At most {plural(defaults.maxFallbacks, "fallback")} per request.{" "}
          {defaults.checksBeforeCall
            ? "Deployments whose context window is too small are skipped."
            : "The provider rejects requests that are too long."}
          <Link to="/admin/settings" search={{ search: "router" }} className="ml-auto text-accent hover:underline">
            Settings
          </Link>
        </>
      }
    >
      <dl className="grid grid-cols-4 gap-4 border-b border-hairline px-4 py-3 max-sm:grid-cols-2">
        <Fact label="Strategy" note={group.strategy}>
          {strategyNames[group.strategy] ?? group.strategy}
        </Fact>
        <Fact label="Retries" note="before the first byte only">
          {group.retries}
        </Fact>
        <Fact label="Cooldown" note="after repeated failures">
          {group.cooldownSeconds === 0 ? "None" : `${group.cooldownSeconds} s`}
        </Fact>
        <Fact label="Timeout" note="for the whole request">
          {group.timeoutSeconds} s
        </Fact>
      </dl>
      <DataTable
        label="Deployments in this model group"
        columns={columnsOf(group)}
        rows={group.deployments}
        rowKey={({ id }) => id}
        card={(deployment) => (
          <>
            <span className="flex justify-between gap-2">
              <span className="truncate font-medium">{nameDeployment({ ...deployment, group: group.name })}</span>
              <DeploymentHealth deployment={deployment} />
            </span>
            <span className="truncate font-mono text-meta text-muted">{deployment.model}</span>
            <Share share={firstChoices(group).get(deployment.id)} />
          </>
        )}
        empty={
          <p className="px-4 py-6 text-muted">No deployment serves this model group, so requests to it are refused.</p>
        }
      />
    </Panel>
  );
}

function columnsOf(group: Group): readonly Column<Deployment>[] {
  const choices = firstChoices(group);
  return [
    {
      id: "name",
      header: "Deployment",
      cell: ({ id, provider, model }) => (
        <Link
          to="/admin/deployments"
          search={{ open: id }}
          className="flex max-w-80 items-center gap-2 hover:underline"
        >
          <ProviderMark provider={provider} />
          <span className="truncate">
            <span className="font-medium">{nameDeployment({ id, provider, group: group.name })}</span>{" "}
            <span className="font-mono text-meta text-muted">{model}</span>
          </span>
        </Link>
      ),
    },
    {
      id: "share",
      header: "First choice",
      width: "220px",
      cell: ({ id }) => <Share share={choices.get(id)} />,
    },
    { id: "weight", header: "Weight", align: "right", priority: 2, cell: ({ weight }) => weight ?? "equal" },
    { id: "order", header: "Order", align: "right", priority: 1, cell: ({ order }) => order ?? "none" },
    { id: "health", header: "Health", cell: (deployment) => <DeploymentHealth deployment={deployment} /> },
  ];
}

function Share({ share }: { readonly share: number | undefined }) {
  if (share === undefined) return <span className="text-muted">decided per request</span>;
  return (
    <span className="flex items-center gap-3">
      <span aria-hidden className="h-1 min-w-12 flex-1 rounded-full bg-meter-track">
        <span className="block h-full rounded-full bg-meter" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="w-10 text-right">{formatShare(share, 0)}</span>
    </span>
  );
}

function Fact({ label, note, children }: { label: string; note: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-meta text-muted">{label}</dt>
      <dd className="font-semibold">{children}</dd>
      <dd className="truncate text-meta text-muted">{note}</dd>
    </div>
  );
}
