import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Caller } from "../call/caller.ts";
import { lookUpModels, makeCaller, readSettings } from "../http/api.fixture.ts";
import { listVisibleModels } from "./list-visible-models.ts";
import { callableBy } from "./model-view.ts";

const models = lookUpModels(
  readSettings(`
model_list:
  - { model_name: zeta, litellm_params: { model: sim/echo }, model_info: { access_groups: [beta] } }
  - { model_name: "sim/*", litellm_params: { model: "sim/*" }, model_info: { access_groups: [beta, star] } }
  - { model_name: "sim/e*", litellm_params: { model: sim/echo } }
  - { model_name: alpha, litellm_params: { model: sim/echo } }
  - { model_name: alpha, litellm_params: { model: sim/lorem }, model_info: { team_id: team_red } }
  - { model_name: inner, litellm_params: { model: sim/lorem }, model_info: { team_id: team_red, team_public_model_name: red } }
  - { model_name: inner-2, litellm_params: { model: sim/lorem }, model_info: { team_id: team_blue, team_public_model_name: zeta } }
router_settings:
  model_group_alias: { nick: alpha, chain: nick, ghost: { model: zeta, hidden: true }, dangling: nowhere }
`),
);
const names = [
  "zeta",
  "alpha",
  "nick",
  "chain",
  "ghost",
  "dangling",
  "red",
  "inner",
  "mine",
  "ours",
  "sim/echo",
  "sim/lorem",
];
const patterns = ["sim/*", "sim/e*", "*", "z*"];
const otherEntries = ["beta", "star", "all-team-models", "all-proxy-models", "no-default-models"];
const entry = fc.constantFrom(...names, ...patterns, ...otherEntries);
type Aliases = Readonly<Record<string, string>>;
const list = fc.array(entry, { maxLength: 3 });
const caller: fc.Arbitrary<Caller> = fc
  .record({
    models: fc.record({ key: list, team: list, user: list, organization: list }),
    teamId: fc.constantFrom(null, "team_red", "team_blue"),
    keyAliases: fc.constantFrom<Aliases[]>({}, { mine: "zeta" }, { mine: "sim/echo", alpha: "zeta" }),
    teamAliases: fc.constantFrom<Aliases[]>({}, { ours: "mine" }),
  })
  .map(makeCaller);

/** Reports whether a call for the name would find a model. */
function canCall(by: Caller, name: string): boolean {
  try {
    models.find(by, name);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

test("lists a name, other than a pattern, if and only if a call for it is accepted", () => {
  fc.assert(
    fc.property(caller, (by) => {
      const listed = listVisibleModels(callableBy(models, by), loadCatalog());
      const ids = new Set(listed.map(({ id }) => id));
      expect(ids.size).toBe(listed.length);
      expect([...ids].filter((id) => !id.includes("*") && !canCall(by, id))).toEqual([]);
      // A team's own deployment also has an internal name, which can be called but isn't listed.
      const shown = names.filter((name) => name !== "inner");
      expect(shown.filter((name) => canCall(by, name) && !ids.has(name))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("lists the deployments that a call for the name would choose from", () => {
  fc.assert(
    fc.property(caller, (by) => {
      for (const { id, deployments } of listVisibleModels(callableBy(models, by), loadCatalog())) {
        // A pattern is listed, but a call names a model.
        if (id.includes("*")) continue;
        const chosen = models.find(by, id).targets;
        expect(deployments.map((deployment) => deployment.id)).toEqual(chosen.map((deployment) => deployment.id));
      }
    }),
    { numRuns: 100 },
  );
});
