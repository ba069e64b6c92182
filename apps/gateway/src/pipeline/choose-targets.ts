import type { Deployment } from "../model-list/deployment.ts";
import type { ChosenModel } from "../model-list/find-model.ts";

/** The deployment a call goes to: random by weight, or evenly where no weight is set. */
export function chooseTarget(model: ChosenModel, random: () => number): Deployment {
  const { deployments } = model;
  if (deployments.length === 1) return deployments[0] as Deployment;
  const weights = weigh(deployments);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let point = random() * total;
  for (const [index, weight] of weights.entries()) {
    point -= weight;
    if (point < 0) return deployments[index] as Deployment;
  }
  return deployments.at(-1) as Deployment;
}

/** The first of weight, requests and tokens per minute that any deployment sets counts; what is missing counts nothing. */
function weigh(deployments: readonly Deployment[]): number[] {
  for (const field of ["weight", "rpm", "tpm"] as const) {
    const weights = deployments.map((deployment) => deployment[field] ?? 0);
    if (weights.some((weight) => weight > 0)) return weights;
  }
  return deployments.map(() => 1);
}
