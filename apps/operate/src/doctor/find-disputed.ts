import type { Model } from "@tollgate/catalog/model.ts";
import type { DeploymentPricing } from "../operator-io.ts";
import { describeDispute } from "../prices/price-report.ts";
import { type Finding, failed } from "./doctor-finding.ts";
import { plural } from "./doctor-settings.ts";

const SHOWN_MODELS = 5;
const SHOWN_NAMES = 5;
const NAME = "prices";

/** A deployment's price, and its public name. */
export interface Priced {
  readonly name: string;
  readonly pricing: DeploymentPricing;
}

/** Reports whether a deployment uses a catalog price that sources disagree about. */
export const isDisputed = ({ isFromCatalog, listed }: DeploymentPricing): boolean =>
  isFromCatalog && listed.some(({ disputes }) => disputes.length > 0);

/** Fails for each model in use with disputed prices, with both amounts and the command that settles the dispute. */
export function findDisputed(concrete: readonly Priced[], sources: readonly string[]): Finding[] {
  const used = new Map<string, { readonly model: Model; readonly names: string[] }>();
  for (const { name, pricing } of concrete) {
    if (!isDisputed(pricing)) continue;
    for (const model of pricing.listed.filter(({ disputes }) => disputes.length > 0)) {
      const known = used.get(model.id) ?? { model, names: [] };
      known.names.push(name);
      used.set(model.id, known);
    }
  }
  const all = [...used.values()];
  const shown = all.slice(0, SHOWN_MODELS).map(({ model, names }) => describe(model, names, sources));
  const more = all.length - shown.length;
  if (more === 0) return shown;
  const verb = more === 1 ? "has" : "have";
  return [
    ...shown,
    failed(NAME, `${plural(more, "more model")} in use ${verb} disputed prices`, "Run tollgate prices review."),
  ];
}

function describe(model: Model, names: readonly string[], sources: readonly string[]): Finding {
  const [first = "first", second = "second"] = sources;
  const { id, disputes, isRefused } = model;
  const listed = `${names.slice(0, SHOWN_NAMES).join(", ")}${names.length > SHOWN_NAMES ? ", …" : ""}`;
  const count = `sources disagree about ${plural(disputes.length, "price")}`;
  const applied = disputes.length === 1 ? "the higher amount applies" : "the higher amounts apply";
  const state = isRefused ? "its requests are refused" : applied;
  return failed(
    NAME,
    [
      `${id} (used by ${listed}): ${count}, and ${state}`,
      ...disputes.map((dispute) => describeDispute(dispute, sources, isRefused)),
    ].join("\n"),
    `Compare the amounts with the provider's, then run tollgate prices confirm ${id} --use first (${first}), second (${second}), or higher.`,
  );
}
