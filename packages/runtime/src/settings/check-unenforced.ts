import type { SettingsFile } from "./schema/settings-file.ts";
import type { SettingsReader } from "./settings-reader.ts";
import { descend } from "./source-tree.ts";

/** Says which limits and prices are read and not yet acted upon: whoever trusts in one must know that it is not held. */
export function checkUnenforced(file: SettingsFile, reader: SettingsReader): void {
  const { gw_settings, general_settings, billing } = file;
  const advise = (section: object, name: string, isSet: boolean, suggestion: string) => {
    if (!isSet) return;
    const source = reader.sourceOf(section);
    // LiteLLM writes some of them with another ending.
    const written = descend(source, name) ?? descend(source, `${name}_config`) ?? source;
    reader.findings.warn("advice", written.place, name, suggestion);
  };
  const perOwner = "not enforced by this version: set budgets on keys, teams and organizations";
  advise(gw_settings, "max_budget", gw_settings.max_budget !== null, perOwner);
  const ownPrices = "not applied by this version: give the deployments prices of their own";
  advise(gw_settings, "cost_margin", Object.keys(gw_settings.cost_margin).length > 0, ownPrices);
  advise(gw_settings, "cost_discount", Object.keys(gw_settings.cost_discount).length > 0, ownPrices);
  const perKey = "not enforced by this version: set max_parallel_requests, for each key";
  const isGlobalSet = general_settings.global_max_parallel_requests !== null;
  advise(general_settings, "global_max_parallel_requests", isGlobalSet, perKey);
  advise(billing, "exposeBalance", billing.exposeBalance, "this version sends no balance header");
}
