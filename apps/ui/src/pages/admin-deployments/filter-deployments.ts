import type { Operations } from "@tollgate/sdk/platform";

export type Deployment = Operations["listDeployments"]["answer"]["deployments"][number];

/** A model group with its deployments. */
export interface DeploymentGroup {
  readonly name: string;
  readonly deployments: readonly Deployment[];
}

interface DeploymentFilter {
  readonly search: string;
  readonly provider: string;
  readonly source: string;
  readonly health: string;
  readonly price: string;
}

/** Returns the deployments that match the filter, by group and in list order. */
export function filterDeployments(
  deployments: readonly Deployment[],
  filter: DeploymentFilter,
): readonly DeploymentGroup[] {
  const left = deployments.filter((each) => isLeft(each, filter));
  return [...Map.groupBy(left, ({ group }) => group)].map(([name, members]) => ({ name, deployments: members }));
}

function isLeft(deployment: Deployment, { search, provider, source, health, price }: DeploymentFilter): boolean {
  const wanted = search.toLowerCase();
  const texts = [deployment.id, deployment.group, deployment.provider, deployment.model];
  return (
    (provider === "" || deployment.provider === provider) &&
    (source === "" || deployment.source.kind === source) &&
    (health === "" || deployment.health === health) &&
    (price === "" || hasWarning(deployment, price)) &&
    texts.some((text) => text.toLowerCase().includes(wanted))
  );
}

/** Reports whether a price warning applies to a deployment. */
export function hasWarning({ priced, stale, priceSource }: Deployment, warning: string): boolean {
  if (warning === "unpriced") return !priced;
  return warning === "stale" ? stale : priceSource === "override";
}
